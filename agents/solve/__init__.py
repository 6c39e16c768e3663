"""Exact values of games, by enumeration and value iteration."""

from starspiel.agents.solve.native import fits_in_core
from starspiel.agents.solve.size import estimate_size
from starspiel.agents.solve.solution import Solution
from starspiel.agents.solve.solver import solve

__all__ = ["Solution", "estimate_size", "fits_in_core", "solve"]
