"""Keeps engines that wait for their next game, so that not every game has to start a process."""

import atexit
import os
from collections.abc import Sequence

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.seats.process import SeatProcess

_IDLE: dict[tuple[tuple[str, ...], HardLimits], list[SeatProcess]] = {}
#: The most idle engines kept for the same command and limits.
_MOST_IDLE = 4


def lease(command: Sequence[str], limits: HardLimits) -> SeatProcess:
    """Returns an engine that runs this command within these limits. Nobody else uses it until it is given
    back.

    Raises SeatError if it cannot be started.
    """
    idle = _IDLE.get((tuple(command), limits), [])
    while idle:
        process = idle.pop()
        if process.is_alive:
            return process
        process.close()
    return SeatProcess(command, limits)


def give_back(process: SeatProcess) -> None:
    """Takes back an engine that was leased: keeps it, or ends it if there are enough."""
    idle = _IDLE.setdefault((process.command, process.limits), [])
    if len(idle) < _MOST_IDLE and process.is_alive:
        idle.append(process)
    else:
        process.close()


def close_idle() -> None:
    """Ends all engines that wait."""
    waiting = [process for idle in _IDLE.values() for process in idle]
    _IDLE.clear()
    for process in waiting:
        process.quit()


atexit.register(close_idle)
os.register_at_fork(after_in_child=_IDLE.clear)  # the engines are the parent's
