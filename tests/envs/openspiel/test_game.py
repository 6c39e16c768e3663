"""The OpenSpiel adapter: which games it takes, what it says of the others, and its bounds."""

import importlib

import pyspiel
import pytest

from starspiel.envs.base import Game, conforms
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.load import game_of, load_game
from starspiel.envs.named import same_game
from starspiel.envs.openspiel.game import REGISTERED_HERE, OpenSpielGame, qualifying_games


def test_every_registered_game_is_accepted_or_refused_with_a_reason():
    accepted = []
    for name in set(pyspiel.registered_names()) - set(REGISTERED_HERE):
        if name.startswith("python_"):  # there if another test has imported them
            continue
        try:
            game = load_game(name)
        except StarspielError as error:
            message = str(error)
            assert name in message
            assert "\n" not in message
            assert len(message) > len(name) + 20
        else:
            assert conforms(game, Game)
            accepted.append(name)
    assert set(qualifying_games()) <= set(accepted)
    stochastic = {"pig", "backgammon", "einstein_wurfelt_nicht", "yacht", "maedn", "banqi", "2048", "catch"}
    assert stochastic <= set(accepted)


@pytest.mark.parametrize(
    ("spec", "reason", "instead"),
    [
        ("kuhn_poker", "imperfect information", "CFR"),
        ("coin_game", "imperfect information", "OpenSpiel"),
        ("stones_and_gems", "samples its chance outcomes", "rl_environment"),
        ("mfg_crowd_modelling", "mean-field", "mfg"),
        ("morpion_solitaire", "crashes the process", "apply_action"),
        ("quoridor(players=3)", "more than two players", "with two"),
        ("misere(game=quoridor(players=4))", "more than two players", "with two"),
        ("backgammon(hyper_backgammon=true)", "scores every game 0", "without hyper_backgammon"),
    ],
)
def test_refusals_name_the_reason_and_what_to_use_instead(spec, reason, instead):
    with pytest.raises(UnsupportedGameError, match=reason) as caught:
        load_game(spec)
    assert instead in str(caught.value)
    assert spec.split("(")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("backgamon", "Did you mean 'backgammon'?"),
        ("star_pgi", "Did you mean 'star_pig'?"),
        ("zzzzzzzz", "starspiel games"),
        ("", "no game ''"),
        ("pig(winscor=50)", "Did you mean 'winscore'?"),
        ("pig(winscore=abc)", "expected a whole number, got 'abc'"),
        ("pig(winscore=0)", "expected 1 to 1000000, got 0"),
        ("pig(piglet=3)", "expected true or false, got 3"),
        ("pig(winscore=100", "bracket"),
        ("einstein_wurfelt_nicht(seed=1)", "takes no parameters"),
        ("backgammon(scoring_type=best)", "scoring_type"),
        ("amazons(board_size=4)", "board_size"),
        ("hex(board_size=1)", "expected 2 to 26, got 1"),
        ("efg_game", "efg_game(filename=PATH)"),
        ("misere", "misere(game=pig())"),
        ("misere(pig(winscore=20))", "misere(game=pig(winscore=20))"),
        ("start_at(pig(winscore=20))", "start_at(game=tic_tac_toe(),history=4;0;8)"),
        ("cached_tree(tic_tac_toe)", "so of every cached tree, rightly or not; load the game that it wraps"),
    ],
)
def test_bad_specs_give_one_clear_line(spec, says, capfd):
    with pytest.raises(StarspielError) as caught:
        load_game(spec)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_things_that_are_not_games():
    with pytest.raises(StarspielError, match="got 3"):
        load_game(3)


def test_games_load_from_strings_objects_and_states():
    by_name = load_game("pig(winscore=30)")
    by_object = load_game(pyspiel.load_game("pig(winscore=30)"))
    by_state = game_of(by_name.new_initial_state())
    assert by_name.name == by_object.name == by_state.name == "pig(winscore=30)"
    assert by_name is by_state
    assert same_game(by_name, by_object)
    assert load_game(by_name) is by_name
    assert load_game("pig").name == "pig"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("pig", (-1.0, 1.0)),
        ("backgammon", (-1.0, 1.0)),
        ("backgammon(scoring_type=enable_gammons)", (-2.0, 2.0)),
        ("backgammon(scoring_type=full_scoring)", (-3.0, 3.0)),
        ("maedn", (-1.0, 1.0)),
        ("yacht(players=1)", (0.0, 1.0)),
        ("cliff_walking(horizon=3)", (-102.0, -3.0)),
        ("pathfinding(step_reward=0.5)", None),
        ("pathfinding(solve_reward=-5.0)", None),
        ("2048", None),
        ("2048(max_tile=64)", None),
        ("misere(game=2048())", None),
        ("misere(game=start_at(history=1,game=cliff_walking(horizon=3)))", (3.0, 102.0)),
    ],
)
def test_bounds_that_openspiel_gets_wrong_or_that_depend_on_parameters(spec, expected):
    assert load_game(spec).utility_range == expected


def test_step_rewards_are_known_from_the_game():
    game = load_game("2048")
    assert game.step_rewards
    state = game.new_initial_state()
    while state.player_return(0) == 0:
        outcomes = state.chance_outcomes() if state.is_chance_node() else [(state.legal_actions()[0], 1.0)]
        state = state.child(outcomes[0][0])
    assert game.frame(state) == (state.player_return(0), 1.0)
    assert not load_game("pig").step_rewards


def test_an_object_that_does_not_qualify_is_refused_too():
    with pytest.raises(UnsupportedGameError, match="imperfect information"):
        OpenSpielGame(pyspiel.load_game("kuhn_poker"))


@pytest.mark.parametrize(
    "spec", ["star_pig(goal=5,goal=6)", "pig(winscore=5,winscore=6)", "FrozenLake-v1(horizon=5,horizon=6)"]
)
def test_a_parameter_given_twice_is_refused(spec: str) -> None:
    with pytest.raises(SpecError, match="is given twice in"):
        load_game(spec)


def test_the_games_that_qualify_do_not_hang_on_what_was_imported():
    before = qualifying_games()
    importlib.import_module("open_spiel.python.games")
    assert "python_tic_tac_toe" in pyspiel.registered_names()
    assert qualifying_games() == before
