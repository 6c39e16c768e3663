"""What runs in a worker process: whole pairs, or single games of pairs that were void.

A worker notes whose code it is about to run, and since when, in a small file of its own (watch.py). One that
has run out of memory ends: what an agent holds on to would be missing for all who come after it.
"""

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, PairRecord
from starspiel.evaluation.processes.watch import Watcher

#: The exit code of a worker that has run out of memory.
OUT_OF_MEMORY = 77

_JOB: Job
_WATCH: Watcher


def begin(job: Job, limits: HardLimits, folder: str) -> None:
    global _JOB, _WATCH
    die_with_parent()
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    if limits.memory_mb is not None:
        limit_memory(limits.memory_mb)
    _JOB = job
    with (Path(folder) / f"{os.getpid()}.note").open("w+b") as file:
        _WATCH = Watcher(file)


def die_with_parent() -> None:
    """A parent that is killed takes its workers along (Linux; elsewhere they end with their next task)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def limit_memory(megabytes: int) -> None:
    """From here on this process may take that much beyond what it has."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def play_batch(number: int, batch: tuple[Pair, ...]) -> tuple[list[PairRecord], float]:
    began = perf_counter()
    _WATCH.begin(number)
    records = []
    for index, pair in enumerate(batch):
        _WATCH.pair(index)
        with _ending_without_memory():
            record = _JOB.play(pair, _WATCH)
        if any(fault.kind == "memory" for _, fault in record.faults + record.voided):
            os._exit(OUT_OF_MEMORY)
        records.append(record)
    _WATCH.end()
    return records, perf_counter() - began


@contextmanager
def _ending_without_memory() -> Iterator[None]:
    """Ends the process where memory runs out outside of the agents' own code."""
    try:
        yield
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def play_single(number: int, pair: Pair, seats: tuple[int, ...], journal: str) -> GameRecord:
    _WATCH.begin(number)
    _WATCH.pair(0)
    with _ending_without_memory():
        record = _JOB.play_game(pair, seats, _WATCH, _Journal(journal))
    _WATCH.end()
    return record


class _Journal(list[int]):
    """A list that a file follows, whatever happens to the process."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115  # closed with the process or the game

    def append(self, action: int) -> None:
        _WATCH.check_process()
        super().append(action)
        self._file.write(struct.pack("<q", action))


def actions_in(journal: Path) -> tuple[int, ...]:
    """The actions that a game's journal holds; one that was cut off does not count."""
    content = journal.read_bytes()
    return struct.unpack(f"<{len(content) // 8}q", content[: len(content) // 8 * 8])


def ending(exitcode: int) -> str:
    """How a process ended, as the end of a sentence about it."""
    if exitcode < 0:
        return f"died of {signal.Signals(-exitcode).name}"
    return f"ended with exit code {exitcode}"
