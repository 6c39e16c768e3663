"""The memory that a seat's processes hold together."""

import os
from collections.abc import Sequence
from contextlib import suppress

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of(pids: Sequence[int], enough: int) -> int:
    """Bytes of memory that processes hold together; up to `enough` it may be less than what this returns.

    A page that several have counts once (by its share in each, the proportional set size), and so does a file
    in memory that is open, mapped or not.
    """
    files = _files_in_memory(pids)
    resident = sum(map(_resident, pids))
    if resident + files <= enough:  # no page was missed, some may have been counted twice
        return resident + files
    own, shared = map(sum, zip(*map(_proportional, pids), strict=True))
    return own + max(shared, files)


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> tuple[int, int]:
    """Bytes of a process's own memory, and of its shared files in memory."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file.readlines()[1:]}
    except (OSError, IndexError):  # it has gone, or shows nothing to its own user
        return _resident(pid), 0
    shared = sizes.get(b"Pss_Shmem:", 0)
    return sizes.get(b"Pss:", 0) - shared, shared


def _files_in_memory(pids: Sequence[int]) -> int:
    """Bytes of the files that they have open and that lie in memory alone."""
    found = {}
    for pid in pids:
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as files:
            for file in files:
                with suppress(OSError):
                    if os.readlink(file.path).startswith(("/memfd:", "/dev/shm/")):
                        about = os.stat(file.path)
                        found[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(found.values())
