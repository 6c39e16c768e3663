"""Value and nodes by depth: the three searches agree on the first and differ in the second."""

import pytest

from starspiel.agents.roster import make_bot
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.report.depths import ALGORITHMS, by_depth, depth_chart

GAME = load_game("pig(players=2,winscore=20)")


def test_values_are_alike_and_nodes_are_those_of_each_search() -> None:
    state = GAME.new_initial_state()
    options = "engine=python,order=false,merge=false"
    bot = make_bot(f"star2(depth=3,{options})", GAME, 0)
    found = by_depth(bot, state, 3)
    assert [(each.algorithm, each.depth) for each in found] == [
        (name, d) for name in ALGORITHMS for d in (1, 2, 3)
    ]
    for depth in (1, 2, 3):
        assert len({round(each.value, 9) for each in found if each.depth == depth}) == 1
    for each in found:
        alone = make_bot(f"{each.algorithm}(depth={each.depth},{options})", GAME, 0).search(state)
        assert (each.value, each.nodes) == (alone.value, alone.nodes)
    chart = depth_chart(found, "pig")
    assert chart.count("<polyline") == 4
    assert "all three alike" in chart
    apart = [each._replace(value=each.value + (each.algorithm == "star2")) for each in found]
    assert depth_chart(apart, "pig").count("<polyline") == 6


def test_other_searches_are_refused() -> None:
    bot = make_bot("star2ss(depth=2)", GAME, 0)
    with pytest.raises(StarspielError, match="expectiminimax, star1, star2"):
        by_depth(bot, GAME.new_initial_state(), 2)
