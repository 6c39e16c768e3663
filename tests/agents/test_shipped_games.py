"""Baselines and Star agents play the games that ship, and FrozenLake, to the end."""

import pytest

from starspiel.envs.games import GAMES
from starspiel.evaluation import tournament

FIELD = [
    "random",
    "greedy",
    "mcts(simulations=5)",
    "star2(depth=2,nodes=200)",
    "star2ss(depth=1,width=2)",
]
# Small boards of the same rules keep the slowest agents quick.
SPECS = {"cant_stop": "cant_stop(shortest=1)", "royal_game_of_ur": "royal_game_of_ur(pieces=2)"}


@pytest.mark.parametrize("name", [*GAMES, "FrozenLake-v1"])
def test_a_tournament_ends_without_faults(name) -> None:
    result = tournament(SPECS.get(name, name), FIELD, pairs=1)
    for row in result.to_dict()["agents"]:
        assert row["games"] > 0
        assert not row["forfeits"], row
        assert row["voids"] == 0, row
