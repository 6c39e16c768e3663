"""Which of equally good actions an agent plays: the one that collects sooner, the same in both engines."""

import gymnasium
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.positions import random_positions
from support.trees import TreeGame, decision_trees, guess, leaf, top, true_value

from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

ALGORITHMS = ("expectiminimax", "star1", "star2")
CLOSE = 1e-9


def state_of(node, **given):
    return TreeGame(node, **given).new_initial_state()


def by_definition(node, depth):
    """The soonest actions of a tree's root, from the values of every depth and nothing else."""

    def best(plies):
        values = {10 + i: true_value(child, plies - 1) for i, child in enumerate(node.children)}
        goal = max(values.values()) if node.player == 0 else min(values.values())
        return {action for action, value in values.items() if abs(value - goal) <= CLOSE}

    tied = best(depth)
    for plies in range(depth - 1, 0, -1):
        if not (kept := tied & best(plies)):
            break
        tied = kept
    return tuple(sorted(tied))


def rounded(node):
    """The tree with values of a tenth, so that many actions are equally good."""
    children = tuple(map(rounded, node.children))
    return type(node)(node.player, round(node.value * 2) / 2, children, node.chances)


@settings(max_examples=40, deadline=None)
@given(decision_trees().map(rounded), st.integers(1, 5), st.sampled_from([*ALGORITHMS]))
def test_the_soonest_actions_are_those_of_the_definition(node, depth, algorithm):
    evaluator = FunctionEvaluator(guess, range=(-1.0, 1.0))
    asked = {"evaluator": evaluator, "explain": False}
    plain = search(state_of(node), algorithm, Limits(depth=depth), **asked, ties="first")
    found = search(state_of(node), algorithm, Limits(depth=depth), **asked)
    deepened = search(state_of(node), algorithm, Limits(depth=depth, nodes=10**9), **asked)
    assert found.soonest_actions == by_definition(node, depth)
    assert plain.soonest_actions == plain.best_actions
    # Which action is played changes; what the search says of them does not.
    assert (found.value, found.best_actions, found.action_values, found.exact) == (
        (plain.value, plain.best_actions, plain.action_values, plain.exact)
    )
    assert found.best_action == found.soonest_actions[0]
    # A deepening search knows the shallower depths already; it may end before the last one.
    assert deepened.soonest_actions == by_definition(node, deepened.depth)
    assert len(node.children) == 1 or deepened.soonest_actions == found.soonest_actions


@pytest.mark.skipif(native_status().module is None, reason="the native core is not installed")
@pytest.mark.parametrize(("name", "algorithm"), zip(("pig", "tic_tac_toe", "2048"), ALGORITHMS, strict=True))
def test_the_engines_break_ties_alike(name, algorithm):
    game, ties = load_game(name), 0
    for state in random_positions(game.pyspiel_game, 6, seed=3):
        for limits in (Limits(depth=3), Limits(depth=3, nodes=10**9)):
            asked = {"evaluator": "zero", "explain": False, "exact_action_values": False}
            native = search(state, algorithm, limits, engine="native", **asked)
            python = search(state, algorithm, limits, engine="python", **asked)
            assert native.best_actions == python.best_actions
            assert native.soonest_actions == python.soonest_actions
            ties += len(native.best_actions) > 1
    assert ties > 0


def test_a_small_reward_beside_the_way_does_not_hold_the_player():
    """Two plies see the small reward beside the detour; three see the great one, but not by the detour."""
    way = top(top(leaf(1.0)))
    detour = top(leaf(0.2), top(top(leaf(1.0))))
    assert search(state_of(top(detour, way)), "star2", Limits(depth=5)).soonest_actions == (11,)


def test_a_deep_search_of_a_short_game_does_not_repeat_itself():
    """Two hundred plies of a game of nine: ties cost less than a second search."""
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (4, 0, 8):
        state.apply_action(action)
    first = search(state, "star2", Limits(depth=200), engine="python", explain=False, ties="first")
    found = search(state, "star2", Limits(depth=200), engine="python", explain=False)
    assert len(found.best_actions) > 1
    assert first.nodes < found.nodes < 4 * first.nodes


@pytest.mark.parametrize(("algorithm", "depth"), zip(ALGORITHMS, (50, 6, 50), strict=True))
def test_frozen_lake_without_slipping_is_won(algorithm, depth):
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    agent = EnvAgent(f"{algorithm}(depth={depth})", env, seed=1)
    assert [agent.play(seed=seed) for seed in range(3)] == [1.0] * 3


class Plain(gymnasium.Env):
    """A corridor that tells nothing of itself: nine squares, a reward at the last one."""

    action_space = gymnasium.spaces.Discrete(3)
    observation_space = gymnasium.spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.square, self.moves = 4, 0
        return self.square, {}

    def step(self, action):
        self.square = max(0, self.square + (-1, 0, 1)[action])
        self.moves += 1
        over = self.square == 8
        return self.square, float(over), over, self.moves == 40, {}


@pytest.mark.parametrize(
    "spec", ["expss(depth=5,width=1)", "star1ss(depth=5,width=1)", "star2ss(depth=5,width=1)"]
)
def test_sampling_searches_walk_straight(spec):
    agent = EnvAgent(spec.replace(")", ",evaluator=zero)"), Plain(), seed=1)
    assert agent.play(seed=1) == 1.0
    assert agent.env.moves == 4


def test_a_player_alone_draws_among_what_is_still_equal():
    bots = [
        make_bot("expectiminimax(depth=2,evaluator=zero)", "FrozenLake-v1(is_slippery=false)", seed=seed)
        for seed in (1, 1)
    ]
    game = load_game("FrozenLake-v1(is_slippery=false)")
    state = game.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    played = [[bot.step(state) for _ in range(40)] for bot in bots]
    assert len(set(played[0])) == 4
    assert played[0] == played[1]
    first = make_bot("expectiminimax(depth=2,evaluator=zero,ties=first)", game, seed=1)
    assert {first.step(state) for _ in range(10)} == {0}
