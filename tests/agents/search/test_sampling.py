"""Sampling searches: the drawn tree is one tree whoever searches it, and widens to the exact value."""

from collections import Counter
from typing import Any

import gymnasium
import pytest
from support.trees import DrawnGame, TreeGame, guess, random_tree

from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.roster import make_bot
from starspiel.agents.search.driver import search
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.sampling import SAMPLING, drawn
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.load import load_game


@pytest.mark.parametrize("game_class", [TreeGame, DrawnGame])
def test_the_three_searches_find_the_same_value(game_class: type[TreeGame]) -> None:
    cut_offs = 0
    for tree in range(20):
        root = game_class(random_tree(tree)).new_initial_state()
        values = {}
        for algorithm in SAMPLING:
            result = search(root, algorithm, Limits(depth=4), guess, seed=tree, width=4)
            values[algorithm] = result.action_values
            cut_offs += result.statistics.chance_cutoffs
            assert result.algorithm == f"{algorithm}(width=4)"
            assert not result.exact
        assert values["star1ss"] == pytest.approx(values["expss"], abs=1e-9)
        assert values["star2ss"] == pytest.approx(values["expss"], abs=1e-9)
    assert cut_offs > 50, "the trees are too small to test pruning"


def test_a_seed_gives_one_answer_and_another_seed_another() -> None:
    root = load_game("star_pig(goal=20)").new_initial_state()
    rooted = root.child(0).child(3)

    def value(seed: int) -> float:
        rollout = RolloutEvaluator(3, seed=1)
        return search(rooted, "expss", Limits(depth=3), rollout, seed=seed, width=3).value

    assert value(1) == value(1)
    assert len({value(seed) for seed in range(5)}) == 5


@pytest.mark.parametrize("game_class", [TreeGame, DrawnGame])
def test_a_wide_search_finds_the_exact_value(game_class: type[TreeGame]) -> None:
    """The error falls as the width grows, and ends within the error of a mean of so many draws."""
    errors = []
    for width in (2, 30, 2_000):
        error = []
        for tree in range(6):
            root = TreeGame(random_tree(tree)).new_initial_state()
            exact = search(root, "expectiminimax", Limits(depth=2), guess).action_values
            root = game_class(random_tree(tree)).new_initial_state()
            found = search(root, "star2ss", Limits(depth=2), guess, seed=5, width=width).action_values
            error += [abs(found[action] - value) for action, value in exact.items()]
        errors.append(sum(error) / len(error))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


def test_draws_have_the_chances_of_the_game_and_their_own_share_as_weight() -> None:
    chance = load_game("pig").new_initial_state().child(0)
    drawing = drawn(chance, load_game("pig"), 6_000, 1)
    outcomes = dict(drawing.chance_outcomes())
    assert list(outcomes) == list(range(6))
    assert sum(outcomes.values()) == pytest.approx(1.0, abs=1e-12)
    assert all(abs(p - 1 / 6) < 5 * 0.0049 for p in outcomes.values())
    few = dict(drawn(chance, load_game("pig"), 4, 1).chance_outcomes())
    assert all(p in (0.25, 0.5, 0.75, 1.0) for p in few.values())


def test_draws_at_different_nodes_are_independent() -> None:
    game = load_game("star_pig")
    root = drawn(game.new_initial_state(), game, 1, 7)
    first: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    node = root
    previous = None
    for _ in range(4_000):
        while not node.is_chance_node():
            node = node.child(node.legal_actions()[0]) if not node.is_terminal() else root
        (outcome, weight), *rest = node.chance_outcomes()
        assert (weight, rest) == (1.0, [])
        first[outcome] += 1
        if previous is not None:
            pairs[previous, outcome] += 1
        previous, node = outcome, node.child(outcome)
        # The path goes on from here while the position starts again, so that the game does not end.
        node.state = game.new_initial_state()
    assert all(abs(first[o] - 4_000 / 6) < 5 * 23.6 for o in range(6))
    assert all(abs(pairs[a, b] - 4_000 / 36) < 5 * 10.4 for a in range(6) for b in range(6))


def test_an_equal_state_drawn_twice_is_searched_once() -> None:
    root = DrawnGame(random_tree(3)).new_initial_state()
    calls = Counter()  # type: ignore[var-annotated]

    def counting(state: Any) -> float:
        calls[id(state.node)] += 1
        return 0.0

    search(root, "expss", Limits(depth=2), counting, seed=1, width=40, explain=False)
    assert max(calls.values()) == 1


def test_a_game_of_samples_is_refused_by_exact_searches_and_played_by_sampling_ones() -> None:
    env = gymnasium.make("Blackjack-v1")
    game = load_gymnasium(env)
    env.reset(seed=3)
    state = state_of(env, game)
    for algorithm in ("expectiminimax", "star1", "star2"):
        with pytest.raises(UnsupportedGameError, match=r"Blackjack-v1 has no list of its chance outcomes"):
            search(state, algorithm)
    with pytest.raises(StarspielError, match=r"draw an outcome first \(state.sample\(rng\)\)"):
        search(game.new_initial_state(), "star2ss")
    result = search(state, "star2ss", Limits(depth=2), "rollout(n=2)", seed=1, width=6)
    assert set(result.action_values) == {0, 1}


def test_bots_draw_anew_at_every_move_and_repeat_from_their_seed() -> None:
    game = load_game("star_pig(goal=8)")
    states = [game.new_initial_state().child(0).child(3)] * 12

    def values(seed: int) -> list[float]:
        bot = make_bot("star2ss(depth=3,width=2,evaluator=zero)", game, seed=seed)
        found = []
        for state in states:
            bot.step(state)
            found.append(bot.search(state).value)
        bot.restart()
        bot.step(states[0])
        assert bot.search(states[0]).value == found[0]
        return found

    assert values(5) == values(5)
    assert len(set(values(5))) > 1
