"""The examples behind the pages on search and on decisions under risk measure what they say."""

import re
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starspiel import Limits, search

EXAMPLES = Path(__file__).parents[2] / "examples"
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports an example by its name."""
    monkeypatch.syspath_prepend(EXAMPLES)
    before = set(sys.modules)
    yield import_module
    for name in set(sys.modules) - before:
        if (EXAMPLES / f"{name}.py").exists():
            del sys.modules[name]


def test_alpha_beta_looks_at_what_theory_says(example: Any) -> None:
    trees = example("game_trees")
    for depth in range(1, 5):
        found = {
            order: trees.searched("star1", depth, branching=3, order=order, seed=7) for order in trees.ORDERS
        }
        assert trees.searched("expectiminimax", depth, branching=3, seed=7).leaves == 3**depth
        assert found["best"].leaves == trees.perfect(3, depth)
        assert found["best"].leaves <= found["random"].leaves <= found["worst"].leaves <= 3**depth
        value = trees.UniformTree(branching=3, depth=depth, seed=7).value
        assert all(result.value == pytest.approx(value, abs=1e-12) for result in found.values())


def test_with_chance_nodes_every_end_is_b_times_n_at_each_move(example: Any) -> None:
    trees = example("game_trees")
    tree = {"branching": 2, "outcomes": 3, "seed": 2}
    whole = trees.searched("expectiminimax", 2, **tree)
    assert whole.leaves == (2 * 3) ** 2
    value = trees.UniformTree(depth=2, **tree).value
    for algorithm in ("expectiminimax", "star1", "star2"):
        assert trees.searched(algorithm, 2, **tree).value == pytest.approx(value, abs=1e-12)
    assert trees.searched("star1", 2, **tree, order="best").leaves < whole.leaves


def test_stretching_the_values_changes_the_move_under_chance(example: Any) -> None:
    throws = example("static_evaluation").TwoThrows
    best = [
        search(throws(stretched).new_initial_state(), "expectiminimax", Limits(depth=2), evaluator="zero")
        for stretched in (False, True)
    ]
    assert [result.best_action for result in best] == [0, 1]
    assert best[0].action_values == pytest.approx({0: 2.1, 1: 1.3})
    assert best[1].action_values == pytest.approx({0: 21.0, 1: 40.9})


def test_the_heuristic_is_held_against_the_exact_values_of_pig(example: Any) -> None:
    lines, difference, correlation = example("static_evaluation").lines_of_pig(10)
    assert len(lines) == 6
    assert 0 < difference < 1
    assert 0.5 < correlation < 1


def test_one_search_gives_minimax_and_expected_loss(example: Any) -> None:
    risk = example("decisions_under_risk")
    mean = risk.random_costs(50, 3).mean(axis=0)
    assert risk.losses(risk.Preparedness(tables=50, seed=3)) == pytest.approx(mean.max(axis=1))
    chances = np.array([0.95, 0.04, 0.01])
    expected = risk.losses(risk.Preparedness(0.04, 0.01, tables=50, seed=3))
    assert expected == pytest.approx(mean @ chances)


def test_a_mixture_helps_exactly_where_there_is_no_saddle_point(example: Any) -> None:
    risk = example("decisions_under_risk")
    settled = unsettled = 0
    for table in risk.random_costs(40, 1):
        rows, columns, cost = risk.mixed(table, 300)
        assert sum(rows) == pytest.approx(1)
        assert sum(columns) == pytest.approx(1)
        pure = table.max(axis=1).min()
        if risk.has_saddle(table):
            settled += 1
            assert cost == pytest.approx(pure, rel=1e-2)
        else:
            unsettled += 1
            assert cost < pure
    assert settled > 0
    assert unsettled > 0


def test_the_criteria_part_where_two_defences_cost_the_same(example: Any) -> None:
    risk = example("decisions_under_risk")
    mean = risk.random_costs(200, 1).mean(axis=0)
    points = risk.turning_points(mean, 0.04)
    assert len(points) > 1
    for (_, before), (chance, after) in pairwise(points):
        costs = mean @ np.array([1 - 0.04 - chance, 0.04, chance])
        assert costs[before] == pytest.approx(costs[after], abs=1e-3)


def test_every_picture_of_the_pages_is_there_and_made_by_an_example() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py"))
    for page in ("minimax", "horizon", "static_evaluation", "move_order", "decisions_under_risk"):
        text = (PICTURES.parent / f"{page}.md").read_text(encoding="utf-8")
        named = re.findall(r"\(pictures/(\w+)\.svg\)", text)
        assert named, page
        for name in named:
            assert (PICTURES / f"{name}.svg").exists(), name
            assert name in scripts or name.startswith("stretched_"), name
