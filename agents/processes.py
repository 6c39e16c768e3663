"""Counts processors, and tells the state and exit of processes."""

import os
import signal


def processors() -> int:
    """Returns how many processors this process may use; a container or `taskset` may limit them."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def state_of(pid: int | None) -> str:
    """Returns a process's state as in `ps`, such as T for stopped; empty if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    except OSError:
        return ""


def ending(exitcode: int) -> str:
    """Returns how a process ended, as the end of a sentence."""
    if exitcode >= 0:
        return f"ended with exit code {exitcode}"
    known = {each.value for each in signal.Signals}  # without inner real-time signals
    return f"died of {signal.Signals(-exitcode).name if -exitcode in known else f'signal {-exitcode}'}"
