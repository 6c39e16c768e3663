"""Exact values of games, by enumeration and value iteration."""

from starspiel.agents.solve.solution import Solution
from starspiel.agents.solve.values import estimate_size, solve

__all__ = ["Solution", "estimate_size", "solve"]
