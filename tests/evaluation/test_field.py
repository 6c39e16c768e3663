"""What users name becomes entrants."""

import pyspiel
import pytest
from open_spiel.python.algorithms.random_agent import RandomAgent
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy

from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation import tournament
from starspiel.evaluation.field import field_for
from starspiel.evaluation.starting import listening


def test_an_mcts_is_named_by_what_plays_it():
    result = tournament("2048(max_tile=8)", ["random", "mcts(simulations=2)"], pairs=1, anchor=None)
    assert result.agents == ("random", "uct(simulations=2)")
    named = tournament("2048(max_tile=8)", {"mine": "mcts(simulations=2)", "other": "random"}, pairs=1)
    assert named.agents == ("mine", "other")
    assert named.specs[0] == "uct(simulations=2)"
    kept = tournament("pig(winscore=10)", ["random", "mcts(simulations=2)"], pairs=1)
    assert kept.agents == ("random", "mcts(simulations=2)")


def test_what_was_made_for_another_game_or_is_no_factory_is_refused_before_any_game():
    policy = TabularPolicy(pyspiel.load_game("kuhn_poker"))
    with pytest.raises(
        StarspielError, match=r"TabularPolicy was made for kuhn_poker\(\), but the game is pig"
    ):
        tournament("pig", {"f": policy, "r": "random"}, pairs=1)
    policy = UniformRandomPolicy(pyspiel.load_game("pig(winscore=20)"))
    with pytest.raises(StarspielError, match=r"was made for pig\(winscore=20\), but the game is pig"):
        tournament("pig", {"f": policy, "r": "random"}, pairs=1)
    assert tournament("pig(winscore=20,players=2)", {"f": policy, "r": "random"}, pairs=1).games == 2
    with pytest.raises(
        StarspielError, match=r"f: a callable .* is a factory, called as factory\(game, seat, seed\)"
    ):
        tournament("pig", {"f": lambda state: 0, "r": "random"}, pairs=1)


def test_a_class_is_given_what_it_names_as_in_a_spec():
    """A seed that is given by place would become a third parameter of another name."""
    given = []

    class HoldAt:
        def __init__(self, game, player, points=20):
            given.append((game.get_type().short_name, player, points))

        def step(self, state):
            return state.legal_actions()[0]

    def third(game, seat=5, seed=None):
        given.append((game.get_type().short_name, seat, seed is not None))
        return HoldAt(game, seat)

    agents = {"class": HoldAt, "openspiel": RandomAgent, "function": third}
    assert tournament("tic_tac_toe", agents, pairs=1).games == 6
    assert set(given) == {("tic_tac_toe", seat, last) for seat in (0, 1) for last in (20, True)}


def test_whoever_waits_is_told_which_agent_starts_and_why() -> None:
    told: list[str] = []
    with listening(told.append):
        field_for(["random", "mine=star2(depth=1,evaluator=net)"], load_game("backgammon"))
    field_for(["random", "greedy"], load_game("pig"))
    assert told == ["starting random", "starting mine: its network is read"]
