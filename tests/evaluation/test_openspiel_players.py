"""OpenSpiel's policies, RL agents, evaluators and bots in tournaments, by object and by name."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import mcts, random_agent
from open_spiel.python.bots import uniform_random

from starspiel import StarspielError, load_game, make_bot
from starspiel.evaluation import tournament
from starspiel.evaluation.entrant import Entrant

GAMES = ["pig(winscore=5)", "tic_tac_toe", "star_pig(goal=5)"]
TEXT = """
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import random_agent, tabular_qlearner

def by_policy(game): return policy.UniformRandomPolicy(pyspiel.load_game(GAME))
def by_agent(player): return random_agent.RandomAgent(player, ACTIONS)
def by_seats(game): return [by_policy(game), by_agent(1)]
learner = tabular_qlearner.QLearner(0, ACTIONS)
number = 3
"""


def faults(result):
    return {game.fault for pair in result.pairs for game in pair.games if game.fault}


@pytest.mark.parametrize("game", GAMES)
def test_by_object(game):
    played = pyspiel.load_game(game)
    rng = np.random.RandomState(1)
    agents = {
        "policy": policy.UniformRandomPolicy(played),
        "agent": random_agent.RandomAgent(0, played.num_distinct_actions()),
        "evaluator": mcts.RandomRolloutEvaluator(1, rng),
        "bot": mcts.MCTSBot(played, 1.4, 5, mcts.RandomRolloutEvaluator(1, rng), random_state=rng),
        "bots": [uniform_random.UniformRandomBot(seat, rng) for seat in (0, 1)],
        "ours": make_bot("star2(depth=1)", game, seed=1),
        "made": lambda game, seat, seed: policy.UniformRandomPolicy(played),
        "random": "random",
    }
    one, other = (tournament(game, agents, pairs=1, seed=5, format="gauntlet") for _ in range(2))
    assert not faults(one)
    assert one.games == 14
    moves = [[game.actions for pair in each.pairs for game in pair.games] for each in (one, other)]
    assert moves[0] == moves[1], "the seed determines the games"


def test_bots_of_c_plus_plus():
    game = pyspiel.load_game("tic_tac_toe")
    agents = {
        "random": [pyspiel.make_uniform_random_bot(seat, 3) for seat in (0, 1)],
        "mcts": pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 50, 10, False, 1, False),
        "policy": pyspiel.UniformRandomPolicy(game),
    }
    result = tournament(game, agents, pairs=5)
    assert not faults(result)
    assert result.ranked_names[0] == "mcts"
    with pytest.raises(StarspielError, match="give a list with one per seat"):
        tournament(game, {"one": pyspiel.make_uniform_random_bot(0, 1), "random": "random"}, pairs=1)


def test_by_the_name_of_a_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = "star_pig(goal=5)"  # whose rules OpenSpiel is told of by starspiel
    module = f"doors_{tmp_path.name.replace('-', '_')}"
    actions = pyspiel.load_game(game).num_distinct_actions()
    (tmp_path / f"{module}.py").write_text(f"GAME, ACTIONS = {game!r}, {actions}\n{TEXT}")
    names = ("by_policy", "by_seats", "learner")
    agents = ["random", *(f"{module}:{name}" for name in names)]
    result = tournament(game, agents, pairs=1, workers=1, format="gauntlet")
    assert not faults(result)
    with pytest.raises(StarspielError, match="is not a function or class, nor a bot, a policy"):
        tournament(game, [f"{module}:number", "random"], pairs=1)


@pytest.mark.slow
def test_openspiels_own_by_their_names():
    """As they are: the game, the seat, the generator and the number of actions are filled in."""
    own = [
        "open_spiel.python.policy:UniformRandomPolicy",
        "open_spiel.python.algorithms.random_agent:RandomAgent",
        "open_spiel.python.algorithms.tabular_qlearner:QLearner(step_size=0.5)",
        "open_spiel.python.bots.uniform_random:UniformRandomBot",
    ]
    assert not faults(tournament("pig(winscore=5)", own, pairs=1, format="gauntlet"))


def test_one_that_loses_its_way_forfeits_in_words():
    class Lost(policy.Policy):
        def __init__(self):
            pass

        def action_probabilities(self, state, player_id=None):
            return {77: 1.0}

    lost = Lost()
    lost.player_ids = [0, 1]
    result = tournament("pig(winscore=10)", {"lost": lost, "random": "random"}, pairs=1)
    assert {fault.message for fault in faults(result)} == {
        "StarspielError: Lost gave {77: 1.0}; expected a probability for each of [0, 1], 1 in all."
    }
    half = policy.TabularPolicy(pyspiel.load_game("nim(pile_sizes=1;2)"), [0])
    with pytest.raises(StarspielError, match="TabularPolicy was made for another seat than 1"):
        tournament("nim(pile_sizes=1;2)", {"half": half, "random": "random"}, pairs=1)


def test_a_store_tells_what_has_learnt_more_from_what_has_learnt_less():
    game = pyspiel.load_game("nim(pile_sizes=1;2)")
    table = policy.TabularPolicy(game)
    played = load_game(game)
    before = Entrant("table", table).identity(played)
    assert before == Entrant("table", table).identity(played)
    table.action_probability_array[0, :] = table.action_probability_array[0, ::-1]
    assert Entrant("table", table).identity(played) != before
