"""Work in a child process: what crashes there is an error here, and no more."""

import multiprocessing
import signal
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import IO, NamedTuple, TypeVar

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.seat import Watch
from starspiel.evaluation.processes.watch import Note, Watcher
from starspiel.evaluation.processes.worker import die_with_parent, ending

T = TypeVar("T")
#: The process is looked after this often.
_LOOK_SECONDS = 0.1


class Parent(NamedTuple):
    """The process that waits for work in a child process, as that work sees it.

    Attributes:
        say: takes what is about to be done, in words, for the error should the process die of it.
        watch: takes the agent whose move begins, or NOBODY.
    """

    say: Callable[[str], None]
    watch: Watch


def in_child_process(work: Callable[[Parent], T], move_seconds: float | None = None) -> T:
    """What `work` returns, worked out in a forked process (on Linux; elsewhere in this one).

    A move that takes longer than `move_seconds`, where given, ends the process.

    Raises StarspielError where `work` does, and where its process dies.
    """
    if sys.platform != "linux":
        return work(Parent(lambda doing: None, lambda agent: None))
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryFile() as note:
        process = context.Process(target=_work, args=(work, sender, note))
        process.start()
        sender.close()
        doing = "a trial"
        try:
            while True:
                if not receiver.poll(_LOOK_SECONDS):
                    written = Note.read(note.fileno())
                    if move_seconds is not None and written is not None and written.is_overdue(move_seconds):
                        raise StarspielError(f"{doing}: the process was stopped by the move limit.")
                    continue
                kind, value = receiver.recv()
                if kind == "answer":
                    answer: T = value
                    return answer
                if kind == "error":
                    raise StarspielError(value)
                doing = value
        except EOFError:
            process.join()
            raise StarspielError(f"{doing}: the process {ending(process.exitcode or 0)}.") from None
        finally:
            process.kill()
            process.join()
            receiver.close()


def _work(work: Callable[[Parent], T], sender: Connection, note: IO[bytes]) -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    try:
        sender.send(("answer", work(Parent(lambda doing: sender.send(("doing", doing)), Watcher(note)))))
    except StarspielError as error:
        sender.send(("error", str(error)))
