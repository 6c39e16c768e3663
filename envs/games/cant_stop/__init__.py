"""Can't Stop: its rules, and what agents know of it."""

from starspiel.envs.games.cant_stop.rules import PASS, ROLL, RUNNERS, STOP, CantStop, CantStopPosition

__all__ = ["PASS", "ROLL", "RUNNERS", "STOP", "CantStop", "CantStopPosition"]
