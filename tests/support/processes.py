"""Reads the processes of this machine, where `ps` may be missing."""

import os
import sys
from pathlib import Path

from starspiel.agents.seats.keeper import descendants


def state_of(pid: int) -> str:
    """Returns the state of a process by `ps`'s letters; empty if there is no such process."""
    if sys.platform != "linux":
        return os.popen(f"ps -o stat= -p {pid}").read().strip()
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return ""


def children() -> dict[int, str]:
    """Returns the commands of this process's children, by process id."""
    if sys.platform != "linux":
        lines = os.popen(f"ps --ppid {os.getpid()} -o pid=,args=").read().splitlines()
        return {int(pid): command for pid, command in (line.split(None, 1) for line in lines)}
    found = {}
    for pid in descendants(os.getpid(), 1):
        try:
            found[pid] = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        except OSError:  # it has ended
            continue
    return found
