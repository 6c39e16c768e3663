"""Atomic writes of files."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any


@contextmanager
def beside(target: Path, *, replace: bool = True) -> Iterator[Path]:
    """A path in a folder beside the target. The file that is made there gets the target's name at the end.

    Raises OSError if nothing can be written there, and FileExistsError if it is not to `replace` a file that
    is there by then. After an error, nothing is left of it.
    """
    with TemporaryDirectory(prefix=".starspiel-", dir=target.parent) as folder:
        made = Path(folder) / "part"
        yield made
        if replace:
            try:
                made.replace(target)
            except OSError as error:  # which names the file in the folder
                raise OSError(error.errno, error.strerror, str(target)) from None
            return
        lock = os.open(target.parent, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if target.exists():
                raise FileExistsError(f"{target} is there already")
            made.rename(target)
        finally:
            os.close(lock)


@contextmanager
def written_whole(target: Path, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """A file that replaces the target once it is written completely; `options` are those of `open`. Raises
    OSError if it cannot be written, and leaves the target unchanged.
    """
    with beside(target) as made, made.open(mode, **options) as file:
        yield file
