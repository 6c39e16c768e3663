"""Searches with a table: the same values and exactness, with equal positions searched once."""

from typing import Any

import pytest

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.load import load_game


def first_decision(spec: str) -> Any:
    state = load_game(spec).new_initial_state()
    while state.is_chance_node():
        state = state.child(0)
    return state


@pytest.mark.parametrize(
    ("spec", "depth", "algorithm"),
    [
        ("star_pig(goal=10)", 5, "expectiminimax"),
        ("star_pig(goal=10)", 5, "star2"),
        ("star_pig(goal=4,piglet=true)", 9, "star1"),
        ("knucklebones(columns=2,rows=2,sides=2)", 5, "star2"),
        ("FrozenLake-v1", 4, "star1"),
        ("FrozenLake-v1(horizon=3)", 4, "expectiminimax"),
        ("CliffWalkingSlippery-v1(discount=0.7,horizon=9)", 4, "star2"),
        ("Taxi-v4(is_rainy=true,discount=0.5)", 3, "star1"),
    ],
)
def test_a_table_changes_nothing_but_the_work(spec: str, depth: int, algorithm: str) -> None:
    state = first_decision(spec)
    plain = search(state, algorithm, Limits(depth=depth), table_mb=None)
    tabled = search(state, algorithm, Limits(depth=depth))
    deepened = search(state, algorithm, Limits(depth=depth, nodes=10**7))
    for result in (tabled, deepened):
        assert result.action_values == pytest.approx(plain.action_values, abs=1e-9)
        assert (result.best_actions, result.exact) == (plain.best_actions, plain.exact)
    assert plain.statistics.table_hits == 0
    assert depth == 3 or tabled.statistics.table_hits > 0
    assert tabled.nodes < plain.nodes or depth == 3


def test_a_full_table_keeps_what_it_has() -> None:
    game = load_game("star_pig(goal=10)")
    state = game.new_initial_state()
    table = IntervalTable(game, 1)
    table._capacity = 1
    table.keep(state, 2, 0.5, 0.5, False)
    table.keep(state, 3, 0.7, 0.7, False)
    assert table.find(state, 2) == (0.5, 0.5, False)
    assert table.find(state, 3) is None


def test_a_deep_search_is_quick() -> None:
    result = search(first_decision("FrozenLake-v1"), "expectiminimax", Limits(depth=100))
    assert result.nodes < 20_000


def test_rollouts_and_samples_go_without() -> None:
    state = first_decision("star_pig(goal=10)")
    rollouts = search(state, "expectiminimax", Limits(depth=4), "rollout(n=1)", seed=1)
    sampled = search(state, "expss", Limits(depth=5), seed=1, width=4)
    assert rollouts.statistics.table_hits == sampled.statistics.table_hits == 0


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star2"])
def test_functions_that_may_value_equal_positions_differently_go_without(algorithm: str) -> None:
    """A value that counts the calls shows every node that a table spares."""
    state = first_decision("FrozenLake-v1")
    calls = {"table": 0, "none": 0, "declared": 0}

    def counting(name: str, by_position: bool = False) -> FunctionEvaluator:
        def function(state: Any) -> float:
            calls[name] += 1
            return 0.25

        return FunctionEvaluator(function, name, (0.0, 1.0), by_position)

    limits = Limits(depth=4)
    undeclared = search(state, algorithm, limits, counting("table"), explain=False)
    search(state, algorithm, limits, counting("none"), explain=False, table_mb=None)
    declared = search(state, algorithm, limits, counting("declared", True), explain=False)
    assert calls["declared"] < calls["table"] == calls["none"]
    assert any("the table is off" in note and "by_position=True" in note for note in undeclared.notes)
    assert not any("the table is off" in note for note in declared.notes)
