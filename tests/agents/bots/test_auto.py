"""What `auto` takes for a game, and why."""

import itertools
import re
import warnings

import gymnasium
import pytest
from support.farkle import Farkle

from starspiel.agents.bots.auto import CLONE, ROLLOUT_DEPTH, choose, usual_search
from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.native_loader import native_status
from starspiel.agents.roster import make_bot
from starspiel.envs.errors import SlowEnvironmentWarning, StarspielError, UnknownGameWarning
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game


def test_a_table_is_solved_and_played_from_its_values():
    choice = choose(load_game("CliffWalking-v1"))
    assert str(choice) == choice.spec.name == "optimal"
    assert choice.why == "a table of 48 states, small enough to be solved: perfect play is worth -13"


@pytest.mark.skipif(native_status().module is None, reason="solved by the native core")
def test_a_small_game_with_a_model_is_solved():
    choice = choose(load_game("pig(winscore=20)"))
    assert (str(choice), choice.spec.params["solution"].value) == (
        "optimal",
        pytest.approx(0.231117, abs=1e-6),
    )
    assert "positions, small enough to be solved: perfect play is worth " in choice.why


def test_a_table_with_too_many_entries_is_not_solved_first():
    choice = choose(load_game("Taxi-v4(horizon=100)"))
    assert choice.spec.name == "uct"
    assert choice.why.startswith("the table has 50,000 entries, too many to solve it first: chances are list")


@pytest.mark.slow
def test_a_table_whose_values_do_not_end_is_searched_and_the_reason_given():
    """A reward that can be collected for ever."""

    class Mint(gymnasium.Env):
        action_space = observation_space = gymnasium.spaces.Discrete(2)
        P = {0: {0: [(1.0, 0, 1.0, False)], 1: [(1.0, 0, 0.0, False)]}}  # noqa: RUF012
        initial_state_distrib = [1.0]  # noqa: RUF012

    choice = choose(load_game(Mint()))
    assert choice.spec.name == "uct"
    assert choice.why.startswith("the table could not be solved (")


@pytest.mark.parametrize("name", ["pig", "star_pig", "backgammon", "connect_four", "yacht(players=1)"])
def test_a_game_with_an_evaluator_is_searched_by_star2(name):
    choice = choose(load_game(name))
    assert str(choice) == "star2(nodes=20000)"
    assert "there is an evaluator" in choice.why


def test_random_games_take_the_budget_of_steps():
    """Blackjack: games of about 1.2 steps."""
    game = load_game(gymnasium.make("Blackjack-v1"))
    for steps in (100, 2_000):
        choice = choose(game, steps)
        assert choice.spec.name == "uct"
        assert choice.spec.params["rollout_moves"] == ROLLOUT_DEPTH
        assert choice.spec.params["simulations"] == pytest.approx(steps / (1.2 + CLONE), rel=0.05, abs=0.6)
        assert "no heuristic or network of the game is known: Monte-Carlo tree search" in choice.why
    assert choose(load_game(Farkle()), 1).spec.params["simulations"] > 5, "at least one for each move"


class UpToTen(gymnasium.Env):
    """Roll a die as often as you dare; stopping (0) pays the sum, more than ten nothing. The optimum is 7."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(17)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.total = 0
        return 0, {}

    def step(self, action):
        self.total += int(self.np_random.integers(1, 7)) if action else 0
        paid = float(self.total) if not action and self.total <= 10 else 0.0
        return self.total, paid, not action or self.total > 10, False, {}


def test_what_one_ply_over_random_games_cannot_find_is_found():
    """That is worth 6.48 with infinitely many random games, which throw away what has been reached."""
    env = UpToTen()
    env.reset(seed=1)
    agent = EnvAgent("auto(steps=2000)", env, seed=1)
    worth = dict.fromkeys(range(11, 17), 0.0)
    for total in range(10, -1, -1):
        env.total = total
        rolls = sum(agent.act({}) for _ in range(3)) / 3
        rolled = sum(worth[total + die] for die in range(1, 7)) / 6
        worth[total] = rolls * rolled + (1 - rolls) * total
    assert worth[0] > 6.7


def own_pig():
    """A game by declared rules of which nothing else is known."""
    rules = Pig(goal=60)
    rules.name = "own_pig"
    return rules


@pytest.mark.parametrize("agent", ["star2(depth=2)", "greedy"])
def test_a_search_that_tells_no_move_from_another_says_so_and_what_it_advises_does(agent):
    rules = own_pig()
    assert choose(rules).why.startswith(
        "chances are listed, and no heuristic or network of the game is known"
    )
    state = rules.new_initial_state().child(0).child(3)
    blind = make_bot(agent, rules, seed=1)
    with pytest.warns(UnknownGameWarning, match=f"to {agent.partition('(')[0]} all moves look alike") as told:
        assert {blind.step(state) for _ in range(40)} == {0, 1}
    assert len(told) == 1
    advised = re.findall(r"the agent (\w+) or (\w+), or an evaluator: (\S+)$", str(told[0].message))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnknownGameWarning)
        for spec in advised[0]:
            assert make_bot(spec, rules, seed=1).step(state) in (0, 1)
        make_bot("star2(depth=2,evaluator=zero)", rules, seed=1).step(state)
        make_bot("star2(depth=9)", "tic_tac_toe", seed=1).step(load_game("tic_tac_toe").new_initial_state())


def test_games_of_openspiel_without_a_heuristic_are_played_by_its_own_mcts():
    bot = make_bot("auto(steps=2000)", "tic_tac_toe", seed=1)
    state = load_game("tic_tac_toe").new_initial_state()
    for action in (0, 3, 1, 4):
        state = state.child(action)
    assert bot.step(state) == 2, "three in a row"


def test_joint_moves_are_searched_to_the_end_if_that_is_near_and_by_random_games_otherwise():
    small, large = load_game("matrix_rps"), load_game("oshi_zumo(coins=10,size=2)")
    assert usual_search(small) == str(choose(small).spec) == "star2(nodes=20000)"
    assert usual_search(large) == "uct(simulations=1000)"
    assert choose(large, steps=100).spec.name == "uct"


@pytest.mark.parametrize("steps", [0, -1, 1.5, "many"])
def test_wrong_budgets(steps):
    with pytest.raises(StarspielError, match="steps must be a whole number of at least 1"):
        make_bot(f"auto(steps={steps})", "pig")


def test_an_agent_that_will_be_slow_says_so_when_it_is_made(monkeypatch):
    seconds = itertools.count(0, 40)  # for sixteen random games
    monkeypatch.setattr("starspiel.agents.bots.auto.perf_counter", seconds.__next__)
    with pytest.warns(SlowEnvironmentWarning, match=r"a move will take about .* s .*auto\(steps=50\)"):
        slow = choose(load_game(Farkle()), steps=500)
    with warnings.catch_warnings():  # OpenSpiel's search is not as slow as the random games measured here
        warnings.simplefilter("error", SlowEnvironmentWarning)
        assert choose(load_game("nim"), steps=501).spec.name == "mcts"
    monkeypatch.setattr("starspiel.agents.bots.auto.perf_counter", lambda: 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowEnvironmentWarning)
        assert choose(load_game(Farkle()), steps=500) == slow


class Guess(gymnasium.Env):
    """One action of many is paid best; of an environment no observation space is asked."""

    action_space = gymnasium.spaces.Discrete(5_000)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 0, float(self.np_random.normal(action)), True, False, {}


def test_what_is_advised_for_many_actions_does_not_try_each(monkeypatch):
    monkeypatch.setattr("starspiel.agents.bots.auto.SLOW", 0.0)
    with pytest.warns(SlowEnvironmentWarning, match="for a random game of each action") as told:
        agent = EnvAgent("auto(steps=100)", Guess())
    assert agent.spec.startswith("uct(rollout_moves=100,simulations=5000")
    assert agent.why.endswith("takes more than the budget of 100 steps")
    advised = re.search(r'EnvAgent\("(\S+)", env\)', str(told[-1].message))[1]
    agent = EnvAgent(advised, Guess(), seed=1)
    assert agent.play(seed=1) > 1_000
    assert agent.bot.last_nodes < 5_000
