"""Computes the exact values of games, by enumeration and value iteration."""

from starspiel.agents.solve.size import estimate_size
from starspiel.agents.solve.solution import Solution
from starspiel.agents.solve.solver import solve, solve_small

__all__ = ["Solution", "estimate_size", "solve", "solve_small"]
