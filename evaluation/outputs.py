"""Writes the output files of commands atomically, and never over their inputs."""

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

#: Suffixes of the files that SQLite keeps next to a store.
_BESIDE_A_STORE = ("-wal", "-shm")

#: The first bytes of files that are expensive to make and must not be overwritten -> what such a file is.
_KEPT = {
    b"SQLite format 3\0": "a database",
    b"PK\x03\x04": "an archive, such as a network",
    b'{\n  "version": ': "a ladder",
}
_LONGEST_START = max(map(len, _KEPT))

#: The remedy for disk errors, by errno.
DISK_ERRORS = {
    errno.EROFS: "name a file on another disk",
    errno.ENOSPC: "free some space, or name a file on another disk",
    errno.EDQUOT: "free some space, or name a file on another disk",
    errno.EIO: "check the disk, or name a file on another",
}


def check_output(what: str, path: Path, inputs: Iterable[tuple[str, str | Path]]) -> None:
    """Raises StarspielError if `path` cannot be written, or if writing it would replace something valuable.

    That is one of `inputs`, or any store, ladder, network or solution.

    Args:
        what: describes the output in messages, such as "the report".
        inputs: (description, path) of each input.
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
        with suppress(OSError), target.open("rb") as file:  # write access is checked below
            held = file.read(_LONGEST_START)
        if kind := next((kind for start, kind in _KEPT.items() if held.startswith(start)), None):
            raise StarspielError(f"{what} {path} would replace {kind}; name another file.")
    needed = [target] if target.exists() else []
    if not needed or target.is_file():
        needed.append(target.parent)  # The output is first written there under a temporary name.
    for each in needed:
        if not os.access(each, os.W_OK):
            read_only = os.statvfs(each).f_flag & os.ST_RDONLY
            raise unwritable(what, path, OSError(errno.EROFS if read_only else errno.EACCES, ""))


def unwritable(what: str, path: str | Path | None, error: OSError) -> StarspielError:
    """Returns the error for a file that cannot be written, with reason and remedy."""
    named = what if path is None else f"{what} {path}"
    reason = "no reason given" if error.errno is None else os.strerror(error.errno).lower()
    cure = DISK_ERRORS.get(error.errno or 0, "fix that, or name a file elsewhere")
    return StarspielError(f"cannot write {named}: {reason}; {cure}.")


def files_of_store(store: str | Path) -> list[tuple[str, str | Path]]:
    """Returns the store and the files that SQLite keeps next to it, as inputs for `check_output`."""
    return [("the store", store), *(("the store", f"{_target(Path(store))}{end}") for end in _BESIDE_A_STORE)]


def files_of_spec(spec: Spec) -> Iterator[tuple[str, str | Path]]:
    """Yields the files that a spec names, including a module in this folder, as inputs for `check_output`."""
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
    """A context with a text file that replaces `path` at the end; after a failure, the old file remains.

    `what` describes the file in messages. A symbolic link is kept, and its target is replaced. Anything but a
    regular file, such as a pipe, is written to directly. Raises StarspielError if writing fails.
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
        raise  # the reader closed the pipe, which is not an error of the file
    except OSError as error:
        raise unwritable(what, path, error) from None


def _target(path: Path) -> Path:
    """Returns the file at the end of a chain of symbolic links; a pipe or device is returned as given."""
    return path if path.exists() and not path.is_file() else Path(os.path.realpath(path))


def _same(path: Path, other: Path) -> bool:
    """Returns whether two paths name the same file, which need not exist."""
    with suppress(OSError):
        return path.samefile(other)
    return _target(path) == _target(other)
