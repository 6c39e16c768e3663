"""OpenSpiel's policies, RL agents, MCTS evaluators and bots as bots: what they see, and who is refused."""

import copy
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy, rl_agent
from open_spiel.python.algorithms import mcts, mcts_agent, random_agent, tabular_qlearner
from open_spiel.python.bots import uniform_random

from starspiel import (
    SpecError,
    StarspielError,
    UnsupportedGameError,
    as_bot,
    as_policy,
    check_bot,
    load_game,
    make_bot,
)
from starspiel.agents.from_openspiel import fresh_bot, is_player, is_rl_agent

GAMES = ["pig(winscore=15)", "tic_tac_toe", "einstein_wurfelt_nicht", "catch", "star_pig(goal=15)"]
EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"
GAMES += ["pig(players=3,winscore=10)"]


def rollouts(seed=1):
    return mcts.RandomRolloutEvaluator(1, np.random.RandomState(seed))


def players(game, seat=0):
    """One of every kind."""
    actions, rng = game.num_distinct_actions(), np.random.RandomState(1)
    return {
        "policy": policy.UniformRandomPolicy(game),
        "agent": random_agent.RandomAgent(seat, actions),
        "learner": tabular_qlearner.QLearner(seat, actions),
        "evaluator": rollouts(),
        "bot": mcts.MCTSBot(game, 1.4, 10, rollouts(), random_state=rng),
        "agent of a bot": mcts_agent.MCTSAgent(
            seat, actions, mcts.MCTSBot(game, 1.4, 3, rollouts(), random_state=rng)
        ),
    }


@pytest.mark.parametrize(
    ("kind", "game"),
    [
        *(("policy", game) for game in GAMES[2:]),
        *(("agent", game) for game in GAMES[::2]),
        *(("learner", game) for game in GAMES[1::2]),
        *(("evaluator", game) for game in (GAMES[0], GAMES[4], GAMES[5])),
        *(("bot", game) for game in GAMES[:3]),
    ],
)
def test_they_pass_our_check_of_a_bot(kind, game):
    """Legal moves, states left alone, one seed one game, policies that are distributions."""
    thing = players(pyspiel.load_game(game))[kind]
    assert is_player(thing)
    np.random.seed(5)  # which nothing depends on
    report = check_bot(lambda player, seed: as_bot(thing, game, player, seed), game, games=2, seed=3)
    assert report.ok, str(report)


def test_an_agent_for_the_third_player_meets_openspiels_own_bots():
    """Its uniform and MCTS bots, of Python and C++, in the other seats; ours wins most games."""
    game = pyspiel.load_game("pig(players=3,winscore=30)")
    in_cpp = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.4, 5, 10, False, 1, False)
    in_python = mcts.MCTSBot(game, 1.4, 5, rollouts())
    total = np.zeros(3)
    for others in ([in_cpp, pyspiel.make_uniform_random_bot(1, 2)], [in_python, in_cpp]):
        for number in range(6):
            bots = [*others, as_bot("star1(depth=1)", game, 2, seed=number)]
            returns = np.array(pyspiel.evaluate_bots(game.new_initial_state(), bots, number))
            assert sorted(returns) == [-0.5, -0.5, 1.0]
            total += returns
    assert total.argmax() == 2
    assert total[2] > 4


def test_policies_of_c_plus_plus():
    game = pyspiel.load_game("tic_tac_toe")
    bot = as_bot(pyspiel.UniformRandomPolicy(game), game, seed=1)
    assert dict(bot.get_policy(game.new_initial_state())) == pytest.approx(dict.fromkeys(range(9), 1 / 9))


class Shown(rl_agent.AbstractAgent):
    """Notes what it is shown, and plays the last legal action."""

    def __init__(self, player_id):
        self.player_id = player_id
        self.shown = []

    def step(self, time_step, is_evaluation=False):
        self.shown.append((time_step, is_evaluation))
        legal = time_step.observations["legal_actions"][self.player_id]
        probs = np.zeros(9)
        probs[legal[-1]] = 1.0
        return rl_agent.StepOutput(action=legal[-1], probs=probs)


def test_an_agent_sees_what_the_environment_would_show_it():
    from open_spiel.python import rl_environment

    env = rl_environment.Environment("tic_tac_toe", include_full_state=True)
    env.reset()
    expected = env.step([4])
    state = env.game.new_initial_state()
    state.apply_action(4)
    agent = Shown(1)
    assert as_bot(agent, "tic_tac_toe", 1).step(state) == 8
    (step, in_evaluation) = agent.shown[0]
    assert in_evaluation
    assert not step.last()
    assert step.observations == expected.observations


def test_in_the_other_seat_an_agent_sees_that_seats_view_in_the_place_of_its_own():
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    state.apply_action(4)
    agent = Shown(0)
    assert as_bot(agent, game, 1).step(state) == 8
    seen = agent.shown[0][0].observations
    assert seen["current_player"] == 0
    assert seen["legal_actions"] == [state.legal_actions(1), state.legal_actions(0)]


def test_one_seed_one_game_and_the_things_themselves_are_left_alone():
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    for kind in ("policy", "agent", "evaluator", "bot"):
        thing = players(game)[kind]
        moves = [[as_bot(thing, game, 0, seed).step(state) for seed in range(12)] for _ in range(2)]
        assert moves[0] == moves[1], kind
        assert len(set(moves[0])) > 1, kind


def test_states_that_do_not_follow_are_refused():
    """A tabular policy would look up the wrong history."""
    game = load_game("star_pig(goal=15)")
    bot = as_bot(policy.UniformRandomPolicy(pyspiel.load_game("star_pig(goal=15)")), game, seed=1)
    later = game.new_initial_state().child(0).child(3)
    with pytest.raises(StarspielError, match="does not follow from what the bot was told"):
        bot.step(later)
    bot.restart()
    bot.inform_action(game.new_initial_state(), 0, 0)
    bot.inform_action(game.new_initial_state().child(0), -1, 3)
    assert bot.step(later) in (0, 1)


def test_a_list_has_specs_and_players_for_its_seats():
    game = pyspiel.load_game("pig")
    mixed = [policy.UniformRandomPolicy(game), "star2(depth=1)"]
    bots = [as_bot(mixed, game, seat, seed=1) for seat in (0, 1)]
    assert abs(pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)[0]) == 1.0
    with pytest.raises(StarspielError, match="expected a spec, a bot, or a policy"):
        as_bot([3, "star2"], game, 0)


@pytest.mark.parametrize("agent", ["random", "star2(depth=2)", "uct(simulations=20)"])
def test_a_bot_plays_the_strategy_of_the_seat_that_it_is_given(agent):
    """Where both move at once, and have different cards, a copy in the other seat plays that one's."""
    game = pyspiel.load_game("goofspiel(num_cards=4,imp_info=False,points_order=descending)")
    state = game.new_initial_state()
    state.apply_actions([0, 1])
    bot = make_bot(agent, game, player=0, seed=1)
    for seat in (0, 1):
        legal = state.legal_actions(seat)
        chances = as_policy(bot, game).action_probabilities(state, seat)
        assert sorted(chances) == legal
        assert sum(chances.values()) == pytest.approx(1.0)
        assert all(as_bot(bot, game, seat, seed=seed).step(state) in legal for seed in range(8))
    later = pyspiel.load_game("tic_tac_toe").new_initial_state().child(0)
    bot = make_bot(agent, later.get_game(), player=0, seed=1)
    assert set(as_policy(bot, later.get_game()).action_probabilities(later)) <= set(later.legal_actions())


def test_what_is_refused_in_words():
    game = pyspiel.load_game("pig")
    cpp = pyspiel.make_uniform_random_bot(0, 1)
    for thing, expected in [
        (cpp, r"a C\+\+ bot does not say which seat"),
        (uniform_random.UniformRandomBot(0, np.random), "UniformRandomBot was made for another seat than 1"),
        ([cpp], "expected one for each seat of pig, which has 2, got 1"),
        (pyspiel.RandomRolloutEvaluator(1, 1), r"from C\+\+ only; use mcts"),
        (3, "expected a spec, a bot, or a policy"),
        ("star3", "Did you mean"),
    ]:
        with pytest.raises(StarspielError, match=expected):
            as_bot(thing, game, 1)
    assert not is_rl_agent(random_agent.RandomAgent)
    assert not is_rl_agent(uniform_random.UniformRandomBot(0, np.random))
    assert not any(map(is_player, (policy.UniformRandomPolicy, lambda game, seat, seed: None, [])))
    odd = SimpleNamespace(action_probabilities=lambda state, player_id=None: {0: 0.4})
    with pytest.raises(StarspielError, match=r"gave \{0: 0.4\}; expected a probability for each of \[0, 1\]"):
        as_bot(odd, "pig").step(game.new_initial_state())
    with pytest.raises(UnsupportedGameError, match="it pays rewards on the way"):
        as_bot(rollouts(), "2048")
    with pytest.raises(UnsupportedGameError, match=r"C\+\+ bots play its games in C\+\+ only, not star_pig"):
        as_bot([cpp, cpp], "star_pig")
    with pytest.raises(UnsupportedGameError, match="not a game of OpenSpiel"):
        as_bot(policy.UniformRandomPolicy(game), load_game("FrozenLake-v1(horizon=20)"))
    with pytest.raises(UnsupportedGameError, match="imperfect information"):
        as_bot(policy.UniformRandomPolicy(pyspiel.load_game("kuhn_poker")), "kuhn_poker")
    with pytest.raises(UnsupportedGameError, match="has no information state tensor"):
        as_bot(random_agent.RandomAgent(0, 2), "pig", use_observation=False)
    with pytest.raises(SpecError, match="unexpected keyword argument 'depth'"):
        as_bot(policy.UniformRandomPolicy(game), "pig", depth=3)
    with pytest.raises(SpecError, match="write them into the spec"):
        as_bot("star2", "pig", depth=3)


@pytest.mark.slow  # to import torch takes seconds
def test_a_dqn_as_it_is():
    """What pip install torch dm-tree adds to OpenSpiel."""
    pytest.importorskip("torch", reason="OpenSpiel's DQN in PyTorch needs torch and dm-tree")
    pytest.importorskip("tree", reason="OpenSpiel's DQN in PyTorch needs torch and dm-tree")
    from open_spiel.python.pytorch import dqn

    game = pyspiel.load_game("tic_tac_toe")
    agents = [dqn.DQN(seat, 27, 9, [16], batch_size=4, min_buffer_size_to_learn=8) for seat in (0, 1)]
    for given in (agents, agents[0]):
        bots = [as_bot(given, game, seat, seed=seat) for seat in (0, 1)]
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)) == 0.0


class Alone(pyspiel.Bot):
    """Which OpenSpiel's C++ cannot ask for a policy."""

    def step(self, state):
        return state.legal_actions()[0]


PLAYERS = ["star2(depth=1)", "mcts(simulations=5)", "random", "pubeval", "exec", policy.UniformRandomPolicy]
PLAYERS += [
    Alone,
    "open_spiel.python.bots.uniform_random:UniformRandomBot",
    "pyspiel:make_uniform_random_bot",
]


@pytest.mark.parametrize("agent", PLAYERS, ids=str)
def test_a_bot_of_one_seat_is_not_asked_for_anothers_move(agent):
    name = "backgammon" if agent == "pubeval" else "tic_tac_toe"
    game = load_game(name)
    if agent == "exec":
        agent = f"exec:{sys.executable} {EXAMPLES / 'first_engine.py'}"
    elif not isinstance(agent, str):
        agent = agent(*[game.pyspiel_game] * (agent is not Alone))
    state = game.pyspiel_game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    mover = state.current_player()
    for made in (as_bot, make_bot) if isinstance(agent, str) else (as_bot,):
        for bot in (made(agent, game, mover), made(agent, game)):
            assert bot.step(state) in state.legal_actions()
        other = made(agent, game, 1 - mover)
        for refusing in [other] if "exec" in str(agent) else [other, fresh_bot(other, game, 1 - mover, 1)]:
            with pytest.raises(StarspielError, match=rf"plays for player {1 - mover}, .*game, {mover}\)"):
                refusing.step(state)


class Counting:
    asked = 0

    def step(self, state):
        self.asked += 1
        return state.legal_actions()[0]


class Slotted:
    __slots__ = ("asked",)

    def __init__(self):
        self.asked = 0

    step = Counting.step


@dataclass(frozen=True)
class Frozen:
    asked: int = 0

    def step(self, state):
        return state.legal_actions()[0]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda bot: pickle.loads(pickle.dumps(bot))])
@pytest.mark.parametrize("kind", [Counting, Slotted, Frozen])
def test_a_users_bot_and_its_copies_are_guarded(kind, copied):
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    first, second = (as_bot(kind(), game, seat, seed=1) for seat in (0, 1))
    assert isinstance(second, kind)
    assert copied(first).step(state) == 0
    assert first.asked == 0, "the copy asks itself"
    for refusing in (second, copied(second)):
        with pytest.raises(StarspielError, match="plays for player 1"):
            refusing.step(state)
    assert type(as_bot(copied(second), game)) is kind
    assert as_bot(second, game).step(state) == 0


def test_a_guarded_bot_keeps_what_it_can_do():
    given, game = Alone(), pyspiel.load_game("tic_tac_toe")
    given.pieces = ["x"]
    bots = [as_bot(given, game, seat, seed=1) for seat in (0, 1)]
    assert isinstance(bots[0], Alone)
    assert bots[0].pieces == ["x"]
    assert bots[0].pieces is not given.pieces
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 4)) == 0
    state = game.new_initial_state()
    assert given.step(state) == as_bot(bots[1], game).step(state) == 0
    at_once = pyspiel.load_game("matrix_rps").new_initial_state()
    assert as_bot("random", "matrix_rps", 1).step(at_once) in range(3)
