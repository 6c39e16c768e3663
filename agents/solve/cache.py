"""Caches tables made on first use, in the user's cache: $XDG_CACHE_HOME/starspiel or ~/.cache/starspiel.

Files contain only data, with a checksum. Damaged tables are computed again.
"""

import glob
import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.files import written_whole


def cached_table(
    name: str, make: Callable[[], NDArray[np.float64]], *, compressed: bool = True
) -> NDArray[np.float64]:
    """Returns a table from the cache, or makes and stores it. The name must contain everything on which the
    table depends.
    """
    folder = _folder()
    if folder is None:
        return make()
    path = folder / f"{name}.npz"
    held = _read(path, name)
    if held is not None:
        return held
    table = make()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            write = np.savez_compressed if compressed else np.savez
            write(file, table=table, checksum=np.array(_checksum(name, table)))
    return table


def why_not_kept() -> str:
    """Returns why new tables cannot be cached, as a clause; empty if they can."""
    folder = _folder()
    if folder is None:
        return "there is no home folder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"{folder}: {error.strerror}"


def forget_tables(prefix: str) -> None:
    """Removes the cached tables whose names begin with the prefix."""
    folder = _folder()
    for path in () if folder is None else folder.glob(f"{glob.escape(prefix)}*.npz"):
        with suppress(OSError):
            path.unlink()


def _folder() -> Path | None:
    """Returns the user's cache folder; None if there is no home folder, as in some containers."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "starspiel"
    except RuntimeError:
        return None


def _read(path: Path, name: str) -> NDArray[np.float64] | None:
    try:
        with np.load(path, allow_pickle=False) as held:
            table: NDArray[Any] = held["table"]
            sound = table.dtype == np.float64 and str(held["checksum"]) == _checksum(name, table)
            return table if sound else None
    except Exception:  # NumPy raises errors of many kinds for damaged files
        return None


def _checksum(name: str, table: NDArray[np.float64]) -> str:
    data = np.ascontiguousarray(table, "<f8").tobytes()
    return hashlib.sha256(b"".join((name.encode(), str(table.shape).encode(), data))).hexdigest()
