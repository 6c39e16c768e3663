"""Opponents by name, and the models that they stand for."""

import copy
import pickle

import pyspiel
import pytest
from open_spiel.python import policy as openspiel_policy

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.opponents import Opponent, as_opponent
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

PIG = load_game("pig(players=2,winscore=20)")


def middle(game, moves=4):
    state = game.new_initial_state()
    while moves or state.is_chance_node():
        moves -= not state.is_chance_node()
        state = state.child(state.legal_actions()[0])
    return state


def test_who_always_makes_the_best_move_is_no_model():
    for given in ("optimal", None):
        assert as_opponent(given, PIG) is None


def test_without_a_seed_an_agent_that_draws_is_the_same_one_each_time():
    state = middle(PIG)
    values = {
        search(state, "star2", Limits(depth=3), opponent="mcts(simulations=10)").value for _ in range(3)
    }
    assert len(values) == 1


def test_what_the_names_stand_for():
    state = middle(PIG)
    moves = state.legal_actions()
    uniform, greedy = (as_opponent(s, PIG) for s in ("uniform", "greedy"))
    assert uniform.replies(state) == [(move, 1 / len(moves)) for move in moves]
    choice = make_bot("greedy", PIG, state.current_player()).step(state)
    assert greedy.replies(state) == [(choice, 1.0)]
    for same in ("random", make_bot("random", PIG)):
        assert as_opponent(same, PIG) is uniform
    assert (uniform.name, uniform.policy) == ("uniform", None)
    assert [o.by_position for o in (uniform, greedy)] == [True, False]
    assert as_opponent(greedy, PIG) is greedy


def test_openspiels_policies_and_bots_that_tell_theirs():
    game, loaded = pyspiel.load_game("tic_tac_toe"), load_game("tic_tac_toe")
    state = loaded.new_initial_state()
    for move in (0, 1, 2, 4, 3, 5, 7):
        state = state.child(move)
    first, second = state.legal_actions()

    class Mostly:
        def step(self, state):
            return state.legal_actions()[0]

        def get_policy(self, state):
            return [(first, 0.75), (second, 0.25)]

    even, mostly = [(first, 0.5), (second, 0.5)], [(first, 0.75), (second, 0.25)]
    for given, expected in (
        (openspiel_policy.UniformRandomPolicy(game), even),
        (openspiel_policy.FirstActionPolicy(game), [(first, 1.0)]),
        (pyspiel.UniformRandomPolicy(game), even),
        (Mostly(), mostly),
        ([make_bot("random", loaded), Mostly()], mostly),
    ):
        assert as_opponent(given, loaded).replies(state) == expected


def test_what_a_policy_raises_is_told_with_its_name_and_the_state():
    class Broken:
        def step(self, state):
            return 0

        def get_policy(self, state):
            raise KeyError("no such position")

    with pytest.raises(
        StarspielError, match="opponent Broken raised KeyError: 'no such position' at the state"
    ):
        search(PIG.new_initial_state().child(0).child(3), "star2", Limits(depth=4), opponent=Broken())


class Wrong:
    def __init__(self, chances):
        self.chances = chances

    def step(self, state):
        return 0

    def get_policy(self, state):
        return self.chances


@pytest.mark.parametrize("chances", [{0: 0.5}, {0: 1.5, 1: -0.5}, {0: 1.0, 7: 1.0}, {0: float("nan")}])
@pytest.mark.parametrize("engine", ["python", "native"])
def test_probabilities_that_are_none_are_refused(chances, engine):
    with pytest.raises(StarspielError, match="opponent Wrong: expected probabilities of the legal actions"):
        search(
            PIG.new_initial_state().child(0).child(3),
            "star2",
            Limits(depth=3),
            opponent=Wrong(chances),
            engine=engine,
        )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("unifrom", "unknown agent 'unifrom'"),
        ("uniform(error=1)", "unknown agent 'uniform'"),
        (3, "expected an opponent such as uniform"),
    ],
)
def test_what_is_no_opponent_is_refused(wrong, said):
    with pytest.raises(SpecError, match=said):
        as_opponent(wrong, PIG)


def test_refused_where_nobody_plays_against_or_no_policy_is_told():
    alone = load_game("2048")
    assert as_opponent("optimal", alone) is None
    with pytest.raises(UnsupportedGameError, match="has 1 player; a model of the opponent"):
        make_bot("star2(opponent=uniform)", alone)

    class Silent:
        def step(self, state):
            return 0

    with pytest.raises(StarspielError, match="does not say with which probabilities"):
        search(PIG.new_initial_state().child(0).child(3), "star2", Limits(depth=3), opponent=Silent())


def test_a_bot_keeps_its_opponent_in_copies():
    bot = make_bot("star1(depth=3,opponent=mcts(simulations=10))", PIG)
    state = PIG.new_initial_state().child(0).child(3)
    expected = bot.search(state).value
    assert expected != make_bot("star1(depth=3)", PIG).search(state).value
    for duplicate in (copy.deepcopy(bot), pickle.loads(pickle.dumps(bot)), bot.clone()):
        assert duplicate.search(state).value == expected
    assert isinstance(SearchBot(PIG, "star2", Limits(depth=1), opponent=Opponent("mine")), SearchBot)
