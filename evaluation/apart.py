"""Work in a process of its own: what crashes there is an error here, and no more."""

import multiprocessing
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.workers import die_with_parent, ending

T = TypeVar("T")
#: Takes what is about to be done, in words, for the error should the process die of it.
Say = Callable[[str], None]


def apart(work: Callable[[Say], T]) -> T:
    """What `work(say)` returns, worked out in a forked process (on Linux; elsewhere in this one).

    Raises StarspielError where `work` does, and where its process dies.
    """
    if sys.platform != "linux":
        return work(lambda doing: None)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, sender))
    process.start()
    sender.close()
    doing = "a trial"
    try:
        while True:
            kind, value = receiver.recv()
            if kind == "answer":
                answer: T = value
                return answer
            if kind == "error":
                raise StarspielError(value)
            doing = value
    except EOFError:
        process.join()
        raise StarspielError(f"{doing}: the process {_ending(process.exitcode or 0)}.") from None
    finally:
        process.kill()
        process.join()
        receiver.close()


def _ending(exitcode: int) -> str:
    return "was stopped by the move limit" if exitcode == -signal.SIGALRM else ending(exitcode)


def _work(work: Callable[[Say], T], sender: Connection) -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # kills, also within C++ code
    try:
        sender.send(("answer", work(lambda doing: sender.send(("doing", doing)))))
    except StarspielError as error:
        sender.send(("error", str(error)))
