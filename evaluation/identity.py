"""What distinguishes games in a store: specs with what their files, modules and networks hold, and source."""

import importlib.util
import inspect
import os
import pickle
import sys
from collections.abc import Iterator
from hashlib import blake2b
from importlib.machinery import PathFinder
from pathlib import Path
from types import CodeType
from typing import Any

from starspiel.agents.evaluators.auto import shipped_checksum
from starspiel.agents.roster import find_agent
from starspiel.agents.seats.command import is_exec, words_of
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import Spec, as_spec, parse_spec
from starspiel.evaluation.imports import file_below, own_imports


def of_agent(spec: str, game: Game) -> str:
    """The spec of an agent with what its files and modules hold, and the networks that it takes for the game
    from those that come with the package."""
    parsed = parse_spec(spec)
    evaluators = _evaluators(parsed)
    if "evaluator" not in parsed.params and ":" not in parsed.name:  # Modules are not imported for this.
        usual = "auto" if parsed.name == "auto" else find_agent(parsed.name).parameters.get("evaluator")
        evaluators += _evaluators(Spec(parsed.name, {"evaluator": usual}))
    return _with_networks(with_contents(spec), evaluators, game)


def of_evaluator(name: str, game: Game) -> str:
    """The same of an evaluator of starspiel's, by its name."""
    try:
        parsed = parse_spec(name)
    except StarspielError:
        return name  # Made in Python, with a name that need not be a spec.
    return _with_networks(with_contents(name), [parsed, *_evaluators(parsed)], game)


def with_contents(spec: str) -> str:
    """The spec, followed by a hash of every file that a parameter or a word of a command names, and module
    that a name does, and by one of all modules of their own that these import."""
    try:
        found = sorted(set(_in_command(spec) if is_exec(spec) else _named(parse_spec(spec))))
    except StarspielError:
        return spec  # The name of a game made in Python, which need not be a spec.
    held = [f"{name}:{_hash(_read(file))}" for name, file, _ in found]
    imported = {
        name: file
        for _, of, module in found
        for name, file in (own_imports(module, of) if module else {}).items()
    }
    if imported:
        contents = (f"{name}:{_hash(_read(str(imported[name])))}" for name in sorted(imported))
        held.append(f"imports:{_hash(' '.join(contents).encode())}")
    return " ".join([spec, *held])


def _evaluators(spec: Spec) -> list[Spec]:
    """What the parameters `evaluator` of a spec name, those within others too."""
    found = []
    for name, value in spec.params.items():
        if name == "evaluator" and isinstance(value, str | Spec):
            found.append(as_spec(value))
        if isinstance(value, Spec):
            found += _evaluators(value)
    return found


def _with_networks(identity: str, evaluators: list[Spec], game: Game) -> str:
    found = {each.name: checksum for each in evaluators if (checksum := shipped_checksum(each, game))}
    return " ".join([identity, *(f"{name}:{checksum[:16]}" for name, checksum in sorted(found.items()))])


def of_python(thing: Any) -> str:
    """The name of a function or class (of an object: its class), and a hash of its source.

    What a function refers to, and what an object holds, is not looked at.
    """
    kind = thing if isinstance(thing, type) or inspect.isroutine(thing) else type(thing)
    try:
        source = inspect.getsource(kind).encode()
    except (OSError, TypeError):  # typed in, or compiled
        source = b""
    code = getattr(kind, "__code__", None)
    if isinstance(code, CodeType):  # Several functions may stand in one line.
        source += _of_code(code)
    name = f"{getattr(kind, '__module__', '')}:{getattr(kind, '__qualname__', kind)}"
    return f"{name} {_hash(source)}" if source else name


def of_player(thing: Any) -> str:
    """The same of what plays as it is, with a hash of what it holds, where that can be pickled."""
    kinds = thing if isinstance(thing, list | tuple) else [thing]
    names = " ".join(of_python(each) for each in kinds)
    try:
        held = pickle.dumps(thing)
    except Exception:  # what cannot be pickled says so in many ways
        return names
    return f"{names} {_hash(held)}"


def is_ours(thing: Any) -> bool:
    """Whether its class is one of starspiel's, which goes by the version."""
    return type(thing).__module__.partition(".")[0] == "starspiel"


def _of_code(code: CodeType) -> bytes:
    return b"\0".join([code.co_code, repr(code.co_names).encode(), *map(_of_constant, code.co_consts)])


def _of_constant(constant: object) -> bytes:
    if isinstance(constant, CodeType):
        return _of_code(constant)
    if isinstance(constant, tuple | frozenset):  # Sets have no order of their own.
        parts = [_of_constant(each) for each in constant]
        return b"(" + b",".join(parts if isinstance(constant, tuple) else sorted(parts)) + b")"
    return repr(constant).encode()


def _named(spec: Spec) -> Iterator[tuple[str, str, str]]:
    """(name, file, module, or nothing if it is none) of what a spec refers to."""
    module, colon, _ = spec.name.partition(":")
    if colon and (file := _file_of(module)):
        yield module, file, module
    for value in spec.params.values():
        if isinstance(value, Spec):
            yield from _named(value)
        elif isinstance(value, str) and Path(value).is_file():
            yield value, value, ""
        elif isinstance(value, str) and ":" in value:
            yield from _named(Spec(value))


def _in_command(spec: str) -> Iterator[tuple[str, str, str]]:
    """The same of the files that `exec:COMMAND` names, and of the module after -m if it is in this folder.

    Programs on the PATH are the machine's.
    """
    words = words_of(spec)
    for before, word in zip(["", *words], words, strict=False):
        if Path(word).is_file():
            yield word, word, Path(word).stem if word.endswith(".py") else ""
        elif before == "-m":
            for module in (f"{word}.__main__", word):
                if file := file_below(Path.cwd(), module):
                    yield module, str(file), module


def _file_of(module: str) -> str | None:
    """The file that a module comes from: as its seat finds it, so also from the working directory.

    Nothing is imported, also not the packages above it, which would run in the referee's process.
    """
    if module in sys.modules:
        return getattr(sys.modules[module], "__file__", None)
    package, *parts = module.split(".")
    if not all(part.isidentifier() for part in (package, *parts)):
        return None
    found = importlib.util.find_spec(package) or PathFinder.find_spec(package, [os.getcwd()])
    for part in parts:
        if found is None:
            return None
        found = PathFinder.find_spec(part, list(found.submodule_search_locations or ()))
    return None if found is None or not found.has_location else found.origin


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise StarspielError(f"cannot read {file}: {error.strerror}.") from None


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
