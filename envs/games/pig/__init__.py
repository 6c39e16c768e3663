"""Pig: rules, heuristic and encoder."""

from starspiel.envs.games.pig.rules import ROLL, STOP, Pig, PigPosition

__all__ = ["ROLL", "STOP", "Pig", "PigPosition"]
