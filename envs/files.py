"""Files that are written whole or not at all."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Replaces the file at `path` by what `write` writes; after any failure, the former file is still there.

    Raises OSError if the file cannot be written, and whatever `write` raises.
    """
    aside = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        with aside.open("wb") as file:
            write(file)
        if path.exists():
            shutil.copymode(path, aside)
        aside.replace(path)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
