"""Locks a network's file, so that only one training at a time uses it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starspiel.envs.errors import StarspielError


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keeps other trainings from the network's file by a lock, which is released even if the process crashes.

    Raises StarspielError if another training holds the lock, or if nothing can be written beside the file.
    """
    path = file.with_name(f".{file.name}.lock")
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StarspielError(f"cannot write beside the network {file}: {error.strerror}.") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.fstat(lock).st_ino == path.stat().st_ino  # its last holder may have removed the file
        except OSError:
            is_ours = False
        if not is_ours:
            raise StarspielError(f"{file} is being trained already; wait for it, or name another output.")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)
