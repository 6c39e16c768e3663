"""Kills the process that started it when a move takes too long there.

    python guard.py DESCRIPTOR SECONDS

A worker on a cluster has no parent of ours to look after it, so it starts this beside itself: a process of
its own, that nothing within the worker can hold up, and that imports nothing of ours, to be there at once.
DESCRIPTOR is the open file of a note of evaluation/processes/watch.py, whose last eight bytes say since when
a move has been running.
"""

import os
import signal
import sys
import time

_LOOK_SECONDS = 0.1


def main(descriptor: int, seconds: float) -> None:
    worker = os.getppid()
    while os.getppid() == worker:
        time.sleep(_LOOK_SECONDS)
        since = int.from_bytes(os.pread(descriptor, 32, 0)[24:], "little")
        if since and time.monotonic_ns() - since > seconds * 1e9:
            os.kill(worker, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
