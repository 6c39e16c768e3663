"""Depth fits: the changes of values with depth, against values that are known."""

import math

import pytest

import starspiel
from starspiel.agents.calibration import fit_depths
from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.agents.solve import solve
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game

PIG = "pig(winscore=12)"


def test_exact_values_do_not_change_with_depth(tmp_path):
    file = solve(load_game(PIG)).save(tmp_path / "pig.npz")
    exact = starspiel.make_evaluator(f"solution(file={file})", PIG)
    for fit in fit_depths(exact, PIG, 3, positions=30):
        assert fit == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)


def test_the_same_seed_gives_the_same_fits_and_tells_of_every_position():
    told = []
    first, again = (
        fit_depths("heuristic", PIG, 2, positions=20, seed=3, tell=lambda *now: told.append(now))
        for _ in range(2)
    )
    assert first == again
    assert told == 2 * [(done, 20) for done in range(1, 21)]


def test_games_without_chance_and_depths_without_a_change_are_refused():
    with pytest.raises(StarspielError, match="hardly any chance nodes"):
        fit_depths("zero", "tic_tac_toe", 2, positions=20)
    with pytest.raises(SpecError, match="depth"):
        fit_depths("heuristic", PIG, 1)


@pytest.mark.parametrize(
    "numbers", [(0.0, 0.0, 1.0), (1.0, math.nan, 1.0), (1.0, 0.0, -1.0), (1.0, 0.0, math.inf)]
)
def test_a_fit_has_a_positive_slope_and_finite_numbers(numbers):
    with pytest.raises(ValueError, match="no fit"):
        DepthFit.of(numbers)
