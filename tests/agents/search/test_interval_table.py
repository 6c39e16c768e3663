"""Star1 and Star2 with a table in Python: the same values, with equal positions searched once."""

import pytest

from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game


@pytest.mark.parametrize("algorithm", ["star1", "star2"])
@pytest.mark.parametrize(
    ("spec", "depth"),
    [
        ("star_pig(goal=10)", 5),
        ("star_pig(goal=4,piglet=true)", 9),
        ("knucklebones(columns=2,rows=2,sides=2)", 5),
        ("FrozenLake-v1", 4),
        ("CliffWalkingSlippery-v1(discount=0.7,horizon=9)", 4),
    ],
)
def test_a_table_changes_nothing_but_the_work(spec: str, depth: int, algorithm: str) -> None:
    state = load_game(spec).new_initial_state()
    while state.is_chance_node():
        state = state.child(0)
    plain = search(state, algorithm, Limits(depth=depth), table_mb=None)
    tabled = search(state, algorithm, Limits(depth=depth))
    deepened = search(state, algorithm, Limits(depth=depth, nodes=10**7))
    for result in (tabled, deepened):
        assert result.action_values == pytest.approx(plain.action_values, abs=1e-9)
        assert result.best_actions == plain.best_actions
        assert result.exact == plain.exact
    assert plain.statistics.table_hits == 0
    assert tabled.statistics.table_hits > 0
    assert tabled.nodes < plain.nodes


def test_a_sampling_search_has_no_table() -> None:
    state = load_game("star_pig(goal=10)").new_initial_state()
    assert search(state, "star2ss", Limits(depth=3), seed=1).statistics.table_hits == 0
