"""Knucklebones: rules, heuristic and encoder."""

from starspiel.envs.games.knucklebones.rules import Knucklebones, KnucklebonesPosition, column_score, score

__all__ = ["Knucklebones", "KnucklebonesPosition", "column_score", "score"]
