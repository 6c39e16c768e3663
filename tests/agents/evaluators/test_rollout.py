"""The rollout evaluator: fair, and the same from the same seed."""

import pyspiel
import pytest
from support.trees import TreeGame, chance, leaf, top

from starspiel.agents.evaluators import RolloutEvaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.errors import SpecError


def test_the_same_seed_gives_the_same_values_and_another_others():
    state = pyspiel.load_game("pig(winscore=20)").new_initial_state()

    def values(seed):
        evaluator = RolloutEvaluator(2, seed)
        return [evaluator(state) for _ in range(30)]

    assert values(1) == values(1) != values(2)

    def searched(seed):
        return search(
            state, "star1", Limits(depth=2), "rollout(n=3)", seed=seed, engine="python"
        ).action_values

    assert searched(4) == searched(4) != searched(5)


def test_the_mean_is_the_value_of_random_play():
    """One decision from the end: the mean over the three moves, one of which leads to an uneven coin."""
    node = top(leaf(1.0), leaf(-0.5), chance((0.9, leaf(0.0)), (0.1, leaf(-1.0))))
    state = TreeGame(node).new_initial_state()
    assert RolloutEvaluator(20_000, seed=1)(state) == pytest.approx((1 - 0.5 - 0.1) / 3, abs=0.025)


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "3"])
def test_wrong_numbers_of_games(n):
    with pytest.raises(SpecError, match="n must be a whole number of at least 1"):
        RolloutEvaluator(n)
