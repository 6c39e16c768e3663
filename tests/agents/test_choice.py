"""What `auto` takes for a game, and why."""

import itertools
import warnings

import gymnasium
import pytest
from support.farkle import Farkle

from starspiel.agents.choice import CLONE, ROLLOUT_DEPTH, choose
from starspiel.agents.roster import make_bot
from starspiel.envs.errors import SlowEnvironmentWarning, StarspielError
from starspiel.envs.load import load_game

pytestmark = pytest.mark.usefixtures("quick_looks")


def test_a_table_is_solved_and_played_from_its_values():
    choice = choose(load_game("CliffWalking-v1"))
    assert str(choice) == choice.spec.name == "optimal"
    assert choice.why == "a table of 48 states, small enough to be solved: perfect play is worth -13"


def test_a_table_with_too_many_entries_is_not_solved_first():
    choice = choose(load_game("Taxi-v4(horizon=100)"))
    assert choice.spec.name == "expss"
    assert choice.why.startswith("the table has 50,000 entries, too many to solve it first: no evaluator")


@pytest.mark.slow
def test_a_table_whose_values_do_not_end_is_searched_and_the_reason_given():
    """A reward that can be collected for ever."""

    class Mint(gymnasium.Env):
        action_space = observation_space = gymnasium.spaces.Discrete(2)
        P = {0: {0: [(1.0, 0, 1.0, False)], 1: [(1.0, 0, 0.0, False)]}}  # noqa: RUF012
        initial_state_distrib = [1.0]  # noqa: RUF012

    choice = choose(load_game(Mint()))
    assert choice.spec.name == "expss"
    assert choice.why.startswith("the table could not be solved (")


@pytest.mark.parametrize("name", ["pig", "star_pig", "backgammon", "connect_four", "yacht(players=1)"])
def test_a_game_with_an_evaluator_is_searched_by_star2(name):
    choice = choose(load_game(name))
    assert str(choice) == "star2(nodes=20000)"
    assert "there is an evaluator" in choice.why


def test_random_games_take_the_budget_of_steps():
    """Blackjack: two actions, and games of about 1.2 steps."""
    game = load_game(gymnasium.make("Blackjack-v1"))
    for steps in (100, 2_000):
        evaluator = choose(game, steps).spec.params["evaluator"].params
        assert evaluator["depth"] == ROLLOUT_DEPTH
        assert evaluator["n"] == pytest.approx(steps / (2 * (1.2 + CLONE)), rel=0.05, abs=0.6)


def test_a_budget_below_one_game_a_move_is_one_game_a_move():
    assert choose(load_game(Farkle()), 1).spec.params["evaluator"].params["n"] == 1


def test_the_choice_is_the_same_every_time():
    specs = {str(choose(load_game(Farkle()))) for _ in range(3)}
    assert len(specs) == 1


def test_games_without_a_heuristic_are_tried_in_random_games():
    bot = make_bot("auto(steps=2000)", "tic_tac_toe", seed=1)
    state = load_game("tic_tac_toe").new_initial_state()
    for action in (0, 3, 1, 4):
        state = state.child(action)
    assert bot.step(state) == 2, "three in a row"


@pytest.mark.parametrize("steps", [0, -1, 1.5, "many"])
def test_wrong_budgets(steps):
    with pytest.raises(StarspielError, match="steps must be a whole number of at least 1"):
        make_bot(f"auto(steps={steps})", "pig")


def test_an_agent_that_will_be_slow_says_so_when_it_is_made(monkeypatch):
    seconds = itertools.count(0, 40)  # for sixteen random games
    monkeypatch.setattr("starspiel.agents.choice.perf_counter", seconds.__next__)
    with pytest.warns(SlowEnvironmentWarning, match=r"a move will take about .* s .*auto\(steps=50\)"):
        slow = choose(load_game(Farkle()), steps=500)
    monkeypatch.setattr("starspiel.agents.choice.perf_counter", lambda: 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowEnvironmentWarning)
        assert choose(load_game(Farkle()), steps=500) == slow
