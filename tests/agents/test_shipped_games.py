"""Baselines and Star agents play the games that ship, and FrozenLake, to the end."""

import pytest

from starspiel.envs.games import GAMES
from starspiel.evaluation import tournament

FIELD = [
    "random",
    "greedy",
    "mcts(simulations=5)",
    "star1(depth=1)",
    "star2(depth=2,nodes=50)",
    "star2ss(depth=1,width=2)",
]
SLOW = ("cant_stop", "royal_game_of_ur", "star_2048(rows=3)")
#: At full size, except for games of a thousand moves.
SIZES = {name: name for name in GAMES} | {"star_2048": "star_2048(rows=3)"}


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in SIZES.values()),
        "FrozenLake-v1",
    ],
)
def test_a_tournament_ends_without_faults(name) -> None:
    result = tournament(name, FIELD, pairs=1, format="gauntlet")
    for row in result.to_dict()["agents"]:
        assert row["games"] > 0
        assert not row["forfeits"], row
        assert row["voids"] == 0, row
