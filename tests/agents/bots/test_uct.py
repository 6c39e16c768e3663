"""UCT finds exact values if there are some, open loop and closed loop alike, and plays by its limits."""

import math
import random
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from support.trees import DrawnGame, Node, TreeGame, chance, decision_trees, leaf, top, tree_depth, true_value

from starspiel.agents.bots import MCTSBot, UCTBot, mcts
from starspiel.agents.bots.uct import Tried
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, possible_outcomes
from starspiel.envs.errors import EvaluatorError, SpecError
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.load import load_game


@settings(max_examples=25, deadline=None)
@given(decision_trees())
def test_a_solved_tree_has_its_exact_value(root: Node) -> None:
    game = TreeGame(root)
    bot = UCTBot(game, seed=1, simulations=1000)
    exact = {10 + i: true_value(node, tree_depth(root)) for i, node in enumerate(root.children)}
    best = (max if root.player == 0 else min)(exact.values())
    for action, found in bot.search(game.new_initial_state()).items():
        if found.proven is not None:
            assert found.proven == pytest.approx(exact[action], abs=1e-9)
    if all(found.proven is not None for found in bot.search(game.new_initial_state()).values()):
        assert exact[bot.step(game.new_initial_state())] == pytest.approx(best, abs=1e-9)


#: Player 0 is safe with 0.2, or rolls and then, if it is well, keeps 0.9 by the right move, else loses.
GAMBLE = top(
    leaf(0.2),
    chance(
        (0.7, top(leaf(-1.0), leaf(0.9), Node(1, 0.0, (leaf(0.8), leaf(1.0))))),
        (0.3, Node(1, 0.0, (leaf(-0.9), leaf(0.5)))),
    ),
)


def test_a_gamble_is_worth_its_expectation() -> None:
    game = TreeGame(GAMBLE)
    bot = UCTBot(game, seed=2, simulations=2000, solve=False, uct_c=1.0)
    found = bot.search(game.new_initial_state())
    assert bot.step(game.new_initial_state()) == 11
    assert found[11].proven is None
    assert found[11].mean == pytest.approx(0.7 * 0.9 - 0.3 * 0.9, abs=0.1)
    worse = TreeGame(Node(1, 0.0, GAMBLE.children))  # the minimiser takes what is worth less
    assert UCTBot(worse, seed=2, simulations=1000, solve=False).step(worse.new_initial_state()) == 10


def test_drawn_chances_are_worth_what_listed_ones_are() -> None:
    """After the draw different players move, with different actions: an open loop keeps them apart."""
    listed, drawn = TreeGame(GAMBLE), DrawnGame(GAMBLE)
    closed = UCTBot(listed, seed=3, simulations=1500, solve=False).search(listed.new_initial_state())
    bot = UCTBot(drawn, seed=3, simulations=1500)
    open_ = bot.search(drawn.new_initial_state())
    assert bot.step(drawn.new_initial_state()) == 11
    assert open_[11].proven is None
    assert open_[10].proven == 0.2
    assert open_[11].mean == pytest.approx(closed[11].mean, abs=0.1)


def test_an_action_that_is_seldom_legal_is_tried_against_how_often_it_is() -> None:
    """Action 12 is legal after one draw in ten, and the best there: means and visits must show it."""
    root = top(
        leaf(0.0), chance((0.9, top(leaf(-0.5), leaf(0.1))), (0.1, top(leaf(-0.5), leaf(0.1), leaf(1.0))))
    )
    game = DrawnGame(root)
    found = UCTBot(game, seed=4, simulations=2000, uct_c=0.5).search(game.new_initial_state())
    assert found[11].mean == pytest.approx(0.9 * 0.1 + 0.1 * 1.0, abs=0.06)


class Jar(gymnasium.Env[int, int]):
    """Takes a die's eyes, or stops; a one ends it with nothing. Up to three throws."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(100)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.eyes, self.throws = 0, 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action == 0:
            return self.eyes, 0.0, True, False, {}
        eyes = int(self.np_random.integers(1, 7))
        self.throws += 1
        lost = eyes == 1
        reward = -float(self.eyes) if lost else float(eyes)
        self.eyes = 0 if lost else self.eyes + eyes
        return self.eyes, reward, lost or self.throws == 3, False, {}


def test_an_environment_of_ones_own_has_its_exact_value_and_is_left_alone() -> None:
    env = Jar()
    game = load_gymnasium(env)
    env.reset(seed=5)
    before, others = repr(env.np_random.bit_generator.state), _globals()
    bot = UCTBot(game, seed=5, simulations=300, uct_c=0.5)
    found = bot.search(state_of(env, game))
    # Three throws, none a one: 3 * 4 eyes with (5/6)^3; fewer are worth less at every count of eyes.
    assert found[1].mean == pytest.approx(12 * (5 / 6) ** 3, rel=0.15)
    assert found[0].mean == 0.0
    assert bot.step(state_of(env, game)) == 1
    assert repr(env.np_random.bit_generator.state) == before
    assert _globals() == others


def _globals() -> tuple[Any, Any]:
    return random.getstate(), repr(np.random.get_state())


def test_mcts_is_openspiels_where_that_plays_and_uct_elsewhere() -> None:
    for game in ("pig", "connect_four", "tic_tac_toe"):
        assert isinstance(make_bot("mcts(simulations=3)", game), MCTSBot)
    for game in ("2048", "Blackjack-v1", "CliffWalking-v1", "knucklebones", "python_tic_tac_toe"):
        assert isinstance(make_bot("mcts(simulations=3)", game), UCTBot)
    assert isinstance(make_bot("mcts(simulations=3,evaluator=heuristic)", "pig"), UCTBot)
    for game in ("2048", "pig", "star_pig"):
        with pytest.raises(SpecError, match=r"mcts: simulations must be a whole number of at least 1, got 0"):
            mcts(load_game(game), simulations=0)


def test_limits_hold() -> None:
    game = load_game("2048")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(possible_outcomes(state)[0][0])
    bot = UCTBot(game, seed=8, simulations=5)
    bot.step(state)
    assert bot.last_nodes == 5
    timed = UCTBot(game, seed=8, seconds=0.02)
    assert timed.step(state) in state.legal_actions()
    assert timed.last_nodes is not None
    assert timed.last_nodes >= 1
    small = UCTBot(game, seed=8, simulations=40, rollout_moves=1)
    small._settings = replace(small._settings, most_nodes=3)  # what a memory_mb below 1 would be
    assert sum(found.visits > 0 for found in small.search(state).values()) == 3


def test_several_rollouts_a_leaf_and_the_same_seed() -> None:
    env = Jar()
    game = load_gymnasium(env)
    env.reset(seed=1)
    state = state_of(env, game)
    one, other = (UCTBot(game, seed=10, simulations=50, rollouts=3) for _ in range(2))
    assert one.search(state) == other.search(state) == one.search(state)
    assert one.get_policy(state) == other.step_with_policy(state)[0]


@pytest.mark.parametrize("game", ["pig(winscore=20)", "star_pig(goal=20)", "2048(max_tile=32)"])
def test_an_evaluator_takes_the_place_of_rollouts(game: str) -> None:
    loaded = load_game(game)
    asked: list[float] = []
    heuristic = make_evaluator("heuristic", loaded)

    def counted(state: Any) -> float:
        asked.append(heuristic(state))
        return asked[-1]

    state = _first_decision(loaded)
    by_function = UCTBot(loaded, 3, simulations=40, evaluator=counted)
    by_name = make_bot("mcts(simulations=40,evaluator=heuristic)", loaded, seed=3)
    found = by_function.search(state)
    assert 1 <= len(asked) <= 40
    # By name it is the native counterpart that values, if there is one.
    assert by_name.search(state) == {
        action: Tried(tried.visits, pytest.approx(tried.mean), tried.proven)
        for action, tried in found.items()
    }


def test_what_is_no_evaluator_is_refused() -> None:
    with pytest.raises(SpecError, match="Did you mean 'heuristic'"):
        make_bot("mcts(evaluator=hueristic)", "pig")
    with pytest.raises(SpecError, match="takes the place of rollouts"):
        make_bot("uct(evaluator=heuristic,rollouts=3)", "pig")
    bot = UCTBot(load_game("pig"), 1, simulations=5, evaluator=lambda state: math.nan)
    with pytest.raises(EvaluatorError, match="expected a finite number"):
        bot.step(_first_decision(load_game("pig")))


def _first_decision(game: Any) -> Any:
    state = game.new_initial_state()
    while state.current_player() == CHANCE:
        state = state.child(possible_outcomes(state)[0][0])
    return state
