"""OpenSpiel's value iteration, with matrix games solved by SciPy: its own solver needs more packages."""

import importlib.util
import sys
import types

import pytest
from support.joint_trees import linear_programme


def openspiels_values(game, monkeypatch: pytest.MonkeyPatch, threshold: float = 1e-12) -> dict[str, float]:
    """Player 0's value of every position of a `pyspiel.Game` by its text."""
    solver = "open_spiel.python.algorithms.lp_solver"
    if importlib.util.find_spec("cvxpy") is None:
        monkeypatch.setitem(sys.modules, solver, types.ModuleType(solver))
    from open_spiel.python.algorithms import value_iteration as module

    def solve(stage):
        rows, columns = range(stage.num_rows()), range(stage.num_cols())
        matrix = [[stage.row_utility(i, j) for j in columns] for i in rows]
        low, high = max(map(min, matrix)), min(map(max, zip(*matrix, strict=True)))
        return None, None, low if low == high else linear_programme(matrix)

    monkeypatch.setattr(module.lp_solver, "solve_zero_sum_matrix_game", solve, raising=False)
    return module.value_iteration(game, depth_limit=-1, threshold=threshold, cyclic_game=True)
