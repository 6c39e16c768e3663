"""The default field: the usual agents that can play the game, in sizes that it leaves time for."""

import random
import warnings
from statistics import mean

import pytest
from support.bargain import Bargain

from starspiel.agents import make_bot
from starspiel.envs.errors import EndlessGameWarning
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import qualifying_games
from starspiel.evaluation import tournament
from starspiel.evaluation.default_field import _played, _size, default_field, warn_of_endless


def _plies(game, seed):
    return _played(load_game(game), random.Random(seed), 2000)[0]


@pytest.mark.parametrize("game", [*GAMES, *qualifying_games()])
def test_every_game_has_a_field_that_can_play_it(game):
    field = default_field(game)
    assert len(field) >= 4
    for player in range(load_game(game).num_players):
        for agent in field:
            make_bot(agent, game, player)


def test_short_games_have_the_usual_agents():
    baselines = ["random", "mcts(simulations=100)", "mcts(simulations=1000)"]
    searches = ["expectiminimax(depth=3)", "star1(depth=3)", "star2(depth=3)"]
    assert default_field("einstein_wurfelt_nicht") == [*baselines, *searches]
    assert default_field("tic_tac_toe") == [*baselines, *searches]


def test_long_games_have_smaller_ones():
    searches = ["expectiminimax(depth=2)", "star1(depth=2)", "star2(depth=2)"]
    assert default_field("backgammon") == ["random", "uct(simulations=100)", *searches]
    assert default_field("chess") == ["random", "mcts(simulations=10)", *searches]


def test_it_is_the_same_without_the_native_core(monkeypatch):
    fields = [default_field(game) for game in ("backgammon", "star_pig", "2048")]
    monkeypatch.setenv("STARSPIEL_NATIVE", "off")
    assert [default_field(game) for game in ("backgammon", "star_pig", "2048")] == fields


def test_chance_that_can_only_be_drawn_leaves_the_agents_that_sample():
    assert default_field("Blackjack-v1") == ["random", "uct(simulations=100)", "auto"]


def test_the_size_of_a_game_is_that_of_its_random_games():
    size = _size(load_game("tic_tac_toe"))
    lengths = [len(_plies("tic_tac_toe", seed)) for seed in range(300)]
    assert size.moves == pytest.approx(mean(lengths) / 2, abs=1)
    # From the first move on: 9, then 8 squares, ...
    assert all(ply == [9 - place] for place, ply in enumerate(_plies("tic_tac_toe", 1)))
    # A throw of a die follows on every move of EinStein but the last.
    plies = _plies("einstein_wurfelt_nicht", 1)
    assert {len(ply) for ply in plies[:-1]} == {2}
    assert {ply[1] for ply in plies[:-1]} == {6}
    assert len(plies[-1]) == 1


@pytest.mark.parametrize("game", ["2048(max_tile=8)", "pig(winscore=10)"])
def test_it_plays_to_the_end_without_a_fault(game):
    result = tournament(game, default_field(game), pairs=1)
    agents = len(default_field(game))
    assert result.games == agents * (1 if result.two_player is False else agents - 1)
    assert not any(totals.forfeits for totals in result.tally.agents)


class Offering(Bargain):
    """Whose first player may offer for ever."""

    def apply(self, position, action):
        return position


def test_a_game_that_seems_endless_is_told_so_before_it_is_played():
    with pytest.warns(EndlessGameWarning, match=r"had not ended after.*end a long game as a draw"):
        warn_of_endless(Offering())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_endless(Bargain())
