"""The rollout evaluator: fair, and the same from the same seed."""

import gymnasium
import pyspiel
import pytest
from support.bargain import Bargain
from support.trees import TreeGame, chance, leaf, top
from support.vector_trees import choice, end, start

from starspiel.agents.evaluators import RolloutEvaluator, make_evaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game


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


def test_a_depth_is_heeded_by_searches_of_either_engine():
    state = pyspiel.load_game("pig(winscore=20)").new_initial_state()
    for engine in ("native", "python"):
        found = search(state, "star1", Limits(depth=2), "rollout(n=3,depth=1)", seed=1, engine=engine)
        assert (found.value, found.engine) == (0.0, engine), "nobody has won within three moves"
    ended = search(state, "star1", Limits(depth=2), "rollout(n=3)", seed=1)
    assert ended.value != 0.0


def test_auto_is_rollouts_where_chances_are_samples():
    sampled = load_game(gymnasium.make("CartPole-v1"))
    assert make_evaluator("auto", sampled).name == "rollout(depth=100,n=1)"
    assert make_evaluator("auto", "tic_tac_toe").name == "zero"
    one, other = (make_evaluator("auto", sampled, seed=4) for _ in range(2))
    state = sampled.new_initial_state()
    assert [one(state) for _ in range(3)] == [other(state) for _ in range(3)]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
def test_wrong_numbers(wrong):
    with pytest.raises(SpecError, match="depth must be a whole number of at least 1"):
        RolloutEvaluator(1, depth=wrong)
    with pytest.raises(SpecError, match="n must be a whole number of at least 1"):
        RolloutEvaluator(wrong)


@pytest.mark.parametrize("spec", ["pig(players=3,winscore=12)", "maedn(players=4)"])
def test_a_value_is_every_players_mean_return(spec):
    """The same numbers as games played with `random` alone, one return a player; they sum to 0."""
    state = load_game(spec).new_initial_state()
    assert RolloutEvaluator(3, seed=5)(state) == RolloutEvaluator(3, seed=5)(state)
    value = RolloutEvaluator(5, seed=1)(state)
    assert sum(value) == pytest.approx(0, abs=1e-12)
    one = [RolloutEvaluator(1, seed=seed)(state) for seed in range(12)]
    ends = {tuple(sorted(returns)) for returns in one}
    assert ends == {(-0.5, -0.5, 1.0)} if len(value) == 3 else {(-1.0, -1.0, -1.0, 3.0)}
    assert len(set(one)) > 1


def test_two_players_with_other_sums_have_one_return_each():
    state = start(choice(0, end(1.0, 3.0), end(0.0, 1.0)), None, None)
    assert RolloutEvaluator(20_000, seed=1)(state) == pytest.approx((0.5, 2.0), abs=0.05)


class Waiting(Bargain):
    """Whose first player may wait, or whose die roll, for ever."""

    def __init__(self, *, rolls):
        self.rolls = rolls

    def player(self, position):
        return CHANCE if self.rolls and position.pot else super().player(position)

    def apply(self, position, action):
        return position if position.pot else super().apply(position, action)


@pytest.mark.parametrize("rolls", [False, True])
def test_an_endless_game_is_told_so(rolls):
    state = Waiting(rolls=rolls).new_initial_state().child(3)
    with pytest.raises(StarspielError, match=r"^bargain: a random game had not ended after 100,000 events"):
        RolloutEvaluator(1, 1)(state)
    if not rolls:
        assert RolloutEvaluator(1, 1, depth=5)(state) == (0.0, 0.0)
