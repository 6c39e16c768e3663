"""Knucklebones: its rules, and what agents know of it."""

from starspiel.envs.games.knucklebones.rules import Knucklebones, KnucklebonesPosition, column_score, score

__all__ = ["Knucklebones", "KnucklebonesPosition", "column_score", "score"]
