"""Can't Stop: rules, heuristic and encoder."""

from starspiel.envs.games.cant_stop.rules import PASS, ROLL, RUNNERS, STOP, CantStop, CantStopPosition

__all__ = ["PASS", "ROLL", "RUNNERS", "STOP", "CantStop", "CantStopPosition"]
