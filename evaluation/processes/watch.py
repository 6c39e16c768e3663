"""Whose code is running in another process, and since when: a note that nothing a bot does can hold back.

Whoever plays writes the note into a file that it shares with whoever looks after it, and may kill it.
"""

import mmap
import os
import struct
from time import monotonic_ns
from typing import IO, NamedTuple

from starspiel.evaluation.play.seat import NOBODY

_FORM = struct.Struct("<qqqq")
#: The first between tasks, the second between moves.
_NO_TASK, _NO_MOVE = -1, 0


class Note(NamedTuple):
    """What a process is at.

    Attributes:
        task: the number of its task; -1 between tasks.
        pair: the index of the pair in the task.
        agent: the agent whose code runs; NOBODY where none does.
        since: when that began, by `monotonic_ns`; 0 where none does. The note's last eight bytes, as which
            evaluation/processes/guard.py reads it.
    """

    task: int
    pair: int
    agent: int
    since: int

    @classmethod
    def read(cls, file: int) -> "Note | None":
        """The note in an open file, by its descriptor; None where nothing is written yet."""
        content = os.pread(file, _FORM.size, 0)
        return cls(*_FORM.unpack(content)) if len(content) == _FORM.size else None

    def is_overdue(self, seconds: float) -> bool:
        """Whether a move takes longer than so many wall-clock seconds."""
        return self.since != _NO_MOVE and monotonic_ns() - self.since > seconds * 1e9


class Watcher:
    """Writes the notes of this process: a `Watch`, called with the agent whose code is about to run."""

    def __init__(self, file: IO[bytes]) -> None:
        self._own = os.getpid()
        file.write(_FORM.pack(_NO_TASK, 0, NOBODY, _NO_MOVE))
        file.flush()
        self._note = memoryview(mmap.mmap(file.fileno(), _FORM.size)).cast("q")

    def begin(self, task: int) -> None:
        self._note[0] = task

    def end(self) -> None:
        self._note[0] = _NO_TASK

    def pair(self, index: int) -> None:
        self._note[1] = index

    def __call__(self, agent: int) -> None:
        self.check_process()
        self._note[2] = agent
        self._note[3] = _NO_MOVE if agent == NOBODY else monotonic_ns()

    def check_process(self) -> None:
        """Ends a process that a bot has forked and let return: the game is its parent's."""
        if os.getpid() != self._own:
            os._exit(0)
