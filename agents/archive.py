"""Reads and writes NumPy's .npz archives, atomically and without loading pickled objects."""

import functools
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from starspiel.envs.errors import StarspielError
from starspiel.envs.files import written_whole

_Content = TypeVar("_Content")


@contextmanager
def opened_archive(
    path: str | os.PathLike[str], what: str, otherwise: str
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yields an archive's `about` entry and its arrays by name.

    Args:
        what: how an error names the file, such as "the network".
        otherwise: the error message for a file that is damaged or of another kind; contains `{error}`.

    Raises StarspielError if the file cannot be read, or if the body of the context raises any exception.
    """
    try:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise ValueError("it is a device or a pipe, which may never end")
        with Path(path).open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise ValueError("it is not an .npz file, or it is truncated")
            file.seek(0)
            with np.load(file, allow_pickle=False) as held:
                yield json.loads(str(held["about"])), held
    except StarspielError:
        raise
    except OSError as error:
        raise StarspielError(f"cannot read {what} {path}: {error.strerror or error}.") from None
    except Exception as error:  # a damaged file fails as an archive, an array, JSON, a field
        why: object = error
        if "pickle" in str(error):  # NumPy's own message advises to load it, with whatever code it holds
            why = "it holds pickled objects, which may run code and are not loaded"
        raise StarspielError(f"{path} {otherwise.format(error=why)}") from None


def save_archive(
    path: Path, about: dict[str, Any], arrays: dict[str, Any], *, what: str = "", compressed: bool = True
) -> None:
    """Writes the arrays, and `about` as JSON, atomically.

    Raises StarspielError if the file cannot be written; the message calls it `what`, such as "the network".
    """
    write = np.savez_compressed if compressed else np.savez
    try:
        with written_whole(path) as file:
            write(file, about=np.array(json.dumps(about)), **arrays)
    except OSError as error:
        raise StarspielError(f"cannot write {what} {path}: {error.strerror or error}.") from None


def archive_path(path: str | os.PathLike[str], what: str) -> Path:
    """Returns `path` with the suffix .npz, which is added if it is missing.

    Raises StarspielError if no file can be written there.
    """
    target = Path(path).expanduser()
    if target.name and not target.is_dir() and target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    return writable(target, what)


def new_archive(path: str | os.PathLike[str], what: str) -> Path:
    """Returns the same as `archive_path`. Raises StarspielError also if the file already exists."""
    target = archive_path(path, what)
    if target.exists():
        raise StarspielError(f"{target} already exists; name another file with --output.")
    return target


def writable(target: Path, what: str) -> Path:
    """Returns the path. Raises StarspielError if no file can be written there."""
    if not target.name or target.is_dir():
        raise StarspielError(f"cannot write the {what} to {str(target)!r}: that is a folder.")
    if not target.parent.is_dir():
        raise StarspielError(f"cannot write {target}: there is no folder {target.parent}.")
    if not os.access(target.parent, os.W_OK):
        raise StarspielError(f"cannot write {target}: the folder {target.parent} is not writable.")
    return target


def read_once(load: Callable[[str], _Content], path: str | os.PathLike[str], what: str) -> _Content:
    """Returns what `load` reads from a file; cached until the file's modification time changes."""
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError as error:
        raise StarspielError(f"cannot read {what} {path}: {error.strerror}.") from None
    content: _Content = _read(load, os.path.realpath(path), changed)
    return content


@functools.lru_cache(maxsize=8)
def _read(load: Callable[[str], Any], path: str, changed: int) -> Any:
    return load(path)
