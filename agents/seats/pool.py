"""Engines that wait for their next game, so that not every game starts a process."""

import atexit
import os
from collections.abc import Sequence

from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.process import SeatProcess

_Key = tuple[tuple[str, ...], HardLimits]
_IDLE: dict[_Key, list[SeatProcess]] = {}
#: More of one kind are not kept.
_MOST_IDLE = 4


def lease(command: Sequence[str], limits: HardLimits) -> SeatProcess:
    """An engine that runs this command within these limits and plays for nobody else until it is given back.

    Raises SeatError where it cannot be started.
    """
    idle = _IDLE.get((tuple(command), limits), [])
    while idle:
        process = idle.pop()
        if process.is_alive:
            return process
        process.close()
    return SeatProcess(command, limits)


def give_back(process: SeatProcess) -> None:
    """Takes an engine that is leased no more."""
    idle = _IDLE.setdefault((process.command, process.limits), [])
    if len(idle) < _MOST_IDLE and process.is_alive:
        idle.append(process)
    else:
        process.close()


def close_idle() -> None:
    """Ends all that wait."""
    waiting = [process for idle in _IDLE.values() for process in idle]
    _IDLE.clear()
    for process in waiting:
        process.quit()


def _abandon_in_child() -> None:
    """A fork of this process has no engines: they are its parent's."""
    for idle in _IDLE.values():
        for process in idle:
            process.abandon()
    _IDLE.clear()


atexit.register(close_idle)
os.register_at_fork(after_in_child=_abandon_in_child)
