"""How many processors this process may use: a container or `taskset` may leave it fewer than there are."""

import os


def processors() -> int:
    """How many processors this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1
