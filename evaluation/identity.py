"""What tells the games of one agent from those of another: its spec, and what the files it names hold."""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import Spec, parse_spec


def with_contents(spec: str) -> str:
    """The spec, followed by a hash of every file that one of its parameters names."""
    try:
        files = sorted(set(_files(parse_spec(spec))))
    except StarspielError:
        return spec  # The name of an evaluator made in Python, which need not be a spec.
    return " ".join([spec, *(f"{file}:{_hash(file)}" for file in files)])


def _files(spec: Spec) -> Iterator[str]:
    for value in spec.params.values():
        if isinstance(value, Spec):
            yield from _files(value)
        elif isinstance(value, str) and Path(value).is_file():
            yield value


def _hash(file: str) -> str:
    try:
        return blake2b(Path(file).read_bytes(), digest_size=8).hexdigest()
    except OSError as error:
        raise StarspielError(f"cannot read {file}: {error.strerror}.") from None
