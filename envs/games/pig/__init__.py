"""Pig: its rules, and what agents know of it."""

from starspiel.envs.games.pig.rules import ROLL, STOP, Pig, PigPosition

__all__ = ["ROLL", "STOP", "Pig", "PigPosition"]
