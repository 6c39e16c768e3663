"""Writes files atomically."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any


@contextmanager
def beside(target: Path, *, replace: bool = True) -> Iterator[Path]:
    """Yields a path in a temporary folder beside the target. At the end, the file there becomes the target.

    Raises OSError if nothing can be written there, and FileExistsError if the target exists by then and
    `replace` is False. After an error, no file is left behind.
    """
    with TemporaryDirectory(prefix=".starspiel-", dir=target.parent) as folder:
        made = Path(folder) / "part"
        yield made
        if replace:
            try:
                made.replace(target)
            except OSError as error:  # its message names the temporary file
                raise OSError(error.errno, error.strerror, str(target)) from None
            return
        lock = os.open(target.parent, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if target.exists():
                raise FileExistsError(f"{target} already exists")
            made.rename(target)
        finally:
            os.close(lock)


@contextmanager
def written_whole(target: Path, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Yields a file that replaces the target once it is complete; `options` are those of `open`.

    If it cannot be written, raises OSError and leaves the target unchanged.
    """
    with beside(target) as made, made.open(mode, **options) as file:
        yield file
