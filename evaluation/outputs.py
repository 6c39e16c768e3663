"""Writes the files of commands atomically, and never over their inputs."""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

from starspiel.envs.errors import StarspielError
from starspiel.envs.files import written_whole
from starspiel.envs.spec import Spec

#: Suffixes of SQLite's files beside a store.
_BESIDE_A_STORE = ("-wal", "-shm")

#: How files begin that took games or hours to make, and what they are.
_KEPT = {
    b"SQLite format 3\0": "a database",
    b"PK\x03\x04": "an archive, such as a network",
    b'{\n  "version": ': "a ladder",
}
_LONGEST_START = max(map(len, _KEPT))

#: The remedy for disk errors, by errno.
DISK_ERRORS = {
    errno.EROFS: "name a file on another disk",
    errno.ENOSPC: "make room, or name a file on another disk",
    errno.EDQUOT: "make room, or name a file on another disk",
    errno.EIO: "see to the disk, or name a file on another",
}


def check_output(what: str, path: Path, inputs: Iterable[tuple[str, str | Path]]) -> None:
    """Raises StarspielError if no file can be written at `path`, or if one of `inputs`, or a store, ladder,
    network or solution, is that file.

    `what` is written, in words; an input is (what it is, in words, and its path).
    """
    if path.is_dir():
        raise StarspielError(f"{what} {path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise StarspielError(f"there is no folder {path.parent} for {what}.")
    for name, given in inputs:
        if _same(path, Path(given)):
            raise StarspielError(f"{what} {path} would replace {name} {given}; name another file.")
    target = _target(path)
    if target.is_file():
        held = b""
        with suppress(OSError), target.open("rb") as file:  # whether it can be replaced comes next
            held = file.read(_LONGEST_START)
        if kind := next((kind for start, kind in _KEPT.items() if held.startswith(start)), None):
            raise StarspielError(f"{what} {path} would replace {kind}; name another file.")
    needed = [target] if target.exists() else []
    if not needed or target.is_file():
        needed.append(target.parent)  # What is written there first has another name.
    for each in needed:
        if not os.access(each, os.W_OK):
            read_only = os.statvfs(each).f_flag & os.ST_RDONLY
            raise unwritable(what, path, OSError(errno.EROFS if read_only else errno.EACCES, ""))


def unwritable(what: str, path: str | Path | None, error: OSError) -> StarspielError:
    """The error for a file that cannot be written, with reason and remedy."""
    named = what if path is None else f"{what} {path}"
    reason = "no reason given" if error.errno is None else os.strerror(error.errno).lower()
    cure = DISK_ERRORS.get(error.errno or 0, "see to that, or name a file elsewhere")
    return StarspielError(f"cannot write {named}: {reason}; {cure}.")


def files_of_store(store: str | Path) -> list[tuple[str, str | Path]]:
    """The store and what SQLite keeps beside it, as inputs of `check_output`."""
    return [("the store", store), *(("the store", f"{_target(Path(store))}{end}") for end in _BESIDE_A_STORE)]


def files_of_spec(spec: Spec) -> Iterator[tuple[str, str | Path]]:
    """The files that a spec names, the module in this folder included, as inputs of `check_output`."""
    module, colon, _ = spec.name.partition(":")
    if colon:
        yield "the module", f"{module.replace('.', '/')}.py"
    for value in spec.params.values():
        if isinstance(value, Spec):
            yield from files_of_spec(value)
        elif isinstance(value, str) and Path(value).is_file():
            yield "the file", value


@contextmanager
def replacing(what: str, path: Path) -> Iterator[TextIO]:
    """A text file that takes the place of `path` at the end; after a failure, what was there is there still.

    `what` is written, in words. A link stays, and what it names is replaced; what is no file, such as a pipe,
    is written to as it is. Raises StarspielError if that fails.
    """
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="") as file:
                yield file
        else:
            with written_whole(target, "w", encoding="utf-8", newline="") as file:
                yield cast(TextIO, file)
                if target.exists():
                    shutil.copymode(target, file.name)
    except BrokenPipeError:
        raise  # the reader has closed the pipe, which is not an error
    except OSError as error:
        raise unwritable(what, path, error) from None


def _target(path: Path) -> Path:
    """The file at the end of a chain of links; what is no file, such as a pipe, stays as it is named."""
    return path if path.exists() and not path.is_file() else Path(os.path.realpath(path))


def _same(path: Path, other: Path) -> bool:
    """Whether two names are of one file, be it there already or not."""
    with suppress(OSError):
        return path.samefile(other)
    return _target(path) == _target(other)
