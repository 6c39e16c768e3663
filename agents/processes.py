"""Processes of this machine: how many can run here at once, what one is doing, how it ended."""

import os
import signal


def processors() -> int:
    """How many processors this process may use: a container or `taskset` may leave it fewer than all."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def state_of(pid: int | None) -> str:
    """The state of a process as `ps` has it, such as T for stopped; empty if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    except OSError:
        return ""


def ending(exitcode: int) -> str:
    """How a process ended, as the end of a sentence about it."""
    if exitcode >= 0:
        return f"ended with exit code {exitcode}"
    known = {each.value for each in signal.Signals}  # but not those between the real-time ones' ends
    return f"died of {signal.Signals(-exitcode).name if -exitcode in known else f'signal {-exitcode}'}"
