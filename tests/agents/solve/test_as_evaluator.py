"""Values are returns of the whole game: an exact evaluator gives the exact value from every root."""

import gymnasium
import numpy as np
import pytest
from support.positions import random_states

from starspiel.agents.book.book import answer
from starspiel.agents.book.make import make_book
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import why_not_played
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE
from starspiel.envs.load import load_game

#: Solvable games: of two players and of one, paid at the end, on the way, discounted and cut off.
GAMES = [
    "CliffWalking-v1",
    "CliffWalking-v1(discount=0.9)",
    "CliffWalkingSlippery-v1(horizon=12)",
    "FrozenLake-v1",
    "FrozenLake-v1(discount=0.95,horizon=20,is_slippery=false)",
    "Taxi-v4(discount=0.8)",
    "cant_stop(columns_to_win=1,shortest=1,sides=2)",
    "dice(line=2,size=2)",
    "knucklebones(columns=2,rows=1,sides=3)",
    "pig(winscore=8)",
    "royal_game_of_ur(dice=2,pieces=1)",
    "star_2048(columns=2,rows=2)",
    "star_pig(goal=10)",
    "tic_tac_toe",
]
ALGORITHMS = ("expectiminimax", "star1", "star2")


@pytest.fixture(scope="module")
def solved():
    solutions = {}

    def of(name):
        if name not in solutions:
            game = load_game(name)
            solutions[name] = game, solve(game)
        return solutions[name]

    return of


def engines(state, game):
    core = native_status().module
    return ["python"] if core is None or why_not_played(core, state, game) else ["python", "native"]


@pytest.mark.parametrize("name", GAMES)
def test_an_exact_evaluator_gives_the_exact_value_at_every_depth(solved, name):
    game, solution = solved(name)
    evaluator = SolutionEvaluator(game, solution)
    states = [state for state in random_states(game, 1, 60) if state.current_player() != CHANCE]
    for state in (states[0], states[len(states) // 2]):
        collected, scale = game.frame(state)
        expected = {a: solution(game, state.child(a)) for a in state.legal_actions()}
        value = solution(game, state)
        close = {"rel": 1e-9, "abs": 1e-9}
        for engine in engines(state, game):
            for depth, algorithm in enumerate(ALGORITHMS, start=1):
                limits = Limits(depth=depth)
                result = search(state, algorithm, limits, evaluator, engine=engine, explain=False)
                assert result.value == pytest.approx(value, **close)
                assert result.action_values == pytest.approx(expected, **close)
                assert result.value_to_go * scale == pytest.approx(value - collected, **close)


def test_what_was_collected_is_in_the_value_and_not_in_the_value_to_go():
    game = load_game("CliffWalking-v1")
    off_the_cliff = game.new_initial_state().child(1)  # to the right of the start: -100, and back
    result = search(off_the_cliff, "star2", Limits(depth=14), "zero")
    assert (off_the_cliff.returns(), result.value, result.value_to_go) == ([-100.0], -113.0, -13.0)
    assert "expected return −113.000 for player 0, −13.000 of it to go" in str(result)
    optimal = make_bot("uct(rollout_moves=20,simulations=100)", game, seed=1).move_values(off_the_cliff)
    assert max(optimal.values()) < -105.0


@pytest.mark.parametrize("name", ["FrozenLake-v1(discount=0.9,horizon=9)", "CliffWalking-v1(horizon=20)"])
def test_a_book_answers_with_returns_of_the_whole_game(name):
    """It holds values to go, which positions share that were reached with other returns."""
    game = load_game(name)
    book = make_book(game, "expectiminimax(depth=2,evaluator=zero)", positions=30, within=1000.0)
    for seed in range(10):
        for state in random_states(game, seed, 4):
            said = None if state.is_chance_node() else answer(book, game, state)
            if said is not None:
                found = search(state, "expectiminimax", Limits(depth=2), "zero")
                assert (said.value, said.value_to_go) == pytest.approx((found.value, found.value_to_go))


class Toll(gymnasium.Env[int, int]):
    """Every step costs 1, and there is no table."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return 0, {}

    def step(self, action):
        self.at += 1
        return self.at, -1.0, self.at == 8, False, {}


def test_sampled_environments_are_valued_from_the_start_of_the_game():
    game = load_game(Toll())
    draw = np.random.default_rng(1)
    state = game.new_initial_state()
    for _ in range(5):
        while state.current_player() == CHANCE:
            state = state.sample(draw)
        state = state.child(1)
    while state.current_player() == CHANCE:
        state = state.sample(draw)
    result = search(state, "star1ss", Limits(depth=2), "zero", seed=1)
    assert (state.returns()[0], result.value, result.value_to_go) == pytest.approx((-5.0, -6.0, -1.0))
