"""Game strings with which OpenSpiel ends the process, or takes all memory, are refused in words before."""

import json
import subprocess
import sys

import pyspiel
import pytest

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

#: Each of these killed the process, or would not end, or failed in the middle of a game.
DEADLY = {
    "start_at(history=1000000;1,game=tic_tac_toe())": "action 1, '1000000', is not legal in tic_tac_toe",
    "start_at(history=3;99999999,game=connect_four())": "action 2, '99999999', is not legal",
    "start_at(history=999;1,game=backgammon())": "is not legal in backgammon",
    "misere(game=start_at(history=1000000;1,game=hex()))": "is not legal in hex",
    "start_at(history=0;3;1;4;2;5,game=tic_tac_toe())": "action 6, '5', comes after the end",
    "start_at(history=-1;0,game=tic_tac_toe())": "'-1', is no number",
    "nim(pile_sizes=1;300000000)": "at most 1000000, got 2 x 300000000",
    "misere(game=nim(pile_sizes=1;300000000))": "at most 1000000, got 2 x 300000000",
    "nim(pile_sizes=-1;3)": "expected whole numbers between semicolons",
    "misere(game=hex(board_size=1000))": "expected 2 to 26, got 1000",
    "misere(game=misere(game=y(board_size=10000)))": "expected 1 to 26, got 10000",
    "yacht(num_dice=8,dice_sides=10)": "a throw has 10^8 = 100000000 outcomes",
    "dots_and_boxes(num_rows=100000)": "expected 1 to 50, got 100000",
    "goofspiel(imp_info=false,players=0)": "expected 2 to 10, got 0",
    "goofspiel(imp_info=false,num_cards=4,num_turns=3)": "OpenSpiel never ends the others",
    "misere(game=goofspiel(imp_info=false,num_turns=0))": "OpenSpiel never ends the others",
    "blotto(players=0)": "expected 2 to 10, got 0",
    "blotto(fields=0)": "expected 1 to 100, got 0",
    "checkers(columns=13)": "expected 1 to 8, got 13",
    "add_noise(epsilon=0.1,seed=1,game=catch())": "draws the noise of an end when it is first looked at",
    "misere(game=add_noise(epsilon=0.1,seed=1,game=catch()))": "draws the noise of an end",
    "repeated_game(num_repetitions=2,stage_game=add_noise(epsilon=1.0,seed=1,game=matrix_mp()))": "draws",
    "normal_form_extensive_game(game=chess())": "simultaneous moves",
    "efg_game(filename=/)": "there is no file '/'",
    "misere(game=efg_game(filename=/nowhere))": "there is no file '/nowhere'",
    "misere(game=morpion_solitaire())": "crashes the process in OpenSpiel when a state is cloned",
    "misere(game=backgammon(hyper_backgammon=true))": "scores every game 0",
}

SCRIPT = """
import json, sys
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
said = {}
for spec in json.load(sys.stdin):
    try:
        load_game(spec)
    except StarspielError as error:
        said[spec] = str(error)
print(json.dumps(said))
"""


@pytest.mark.parametrize(
    "spec",
    [
        "start_at(history=99999999999999999999,game=tic_tac_toe())",
        "nim(pile_sizes=99999999999999)",
        "FrozenLake-v1(horizon=99999999999999)",
    ],
)
def test_a_number_that_openspiel_cannot_read_is_named_as_such(spec):
    with pytest.raises(
        StarspielError, match="it has a number that cannot be read; whole numbers go up to 2147483647"
    ):
        load_game(spec)


def test_what_would_end_the_process_is_refused_in_words():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(list(DEADLY)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (run.returncode, run.stderr) == (0, "")
    said = json.loads(run.stdout)
    assert {spec: reason for spec, reason in DEADLY.items() if reason not in said.get(spec, "")} == {}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("misere(game=pig)", r"expected a game with brackets, such as tic_tac_toe\(\), got 'pig'"),
        ("misere(game=pigg())", "there is no game 'pigg'. Did you mean 'pig'?"),
        ("misere(game=pig(winscor=3))", "pig has no parameter 'winscor'. Did you mean 'winscore'?"),
        ("start_at(game=tic_tac_toe())", "start_at needs the parameter history"),
        ("repeated_game(num_repetitions=2)", "needs the parameter stage_game"),
    ],
)
def test_games_in_parameters_are_looked_at_as_games_are(spec, reason):
    with pytest.raises(StarspielError, match=reason):
        load_game(spec)


WRAPPERS = [kind.short_name for kind in pyspiel.registered_games() if "game" in kind.parameter_specification]


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_game_named_as_an_example_can_be_loaded(name):
    with pytest.raises(StarspielError) as refused:
        load_game(name)
    example = str(refused.value).partition(", as in ")[2].removesuffix(".")
    assert bool(example) != isinstance(refused.value, UnsupportedGameError)
    assert not example or load_game(example).num_players > 0


@pytest.mark.parametrize(
    ("spec", "name", "legal"),
    [
        (
            "start_at(history=1,game=nim())",
            "start_at(game=nim(),history=1)",
            [0, 1, 2, 3, 5, 6, 7, 10, 11, 14, 15, 18, 19, 23, 27],
        ),
        ("nim(pile_sizes=3)", "nim(pile_sizes=3)", [0, 1, 2]),
        ("misere(game=nim(pile_sizes=3))", "misere(game=nim(pile_sizes=3))", [0, 1, 2]),
    ],
)
def test_text_that_looks_like_a_number_is_text_where_a_game_takes_text(spec, name, legal):
    game = load_game(spec)
    assert game.name == name
    assert game.new_initial_state().legal_actions() == legal
    assert load_game(game.name).name == name


@pytest.mark.parametrize("player", ["0", "3", "-1", "x"])
def test_a_file_with_a_decision_of_nobodys_is_refused(tmp_path, player):
    file = tmp_path / "one.efg"
    text = 'EFG 2 R "the p" { "one" "p" } ""\np "p" PLAYER 1 "" { "l" "r" } 0\n'
    text += 't "" 1 "a" { 5 -5 }\nt "" 2 "b" { 1 -1 }\n'
    file.write_text(text.replace("PLAYER", "2"))
    assert load_game(f"efg_game(filename={file})").new_initial_state().current_player() == 1
    file.write_text(text.replace("PLAYER", player))
    with pytest.raises(StarspielError, match=f"expected a player from 1 to 2 .* got {player} at p"):
        load_game(f"efg_game(filename={file})")


def test_a_long_name_that_is_no_games_is_cut_in_the_message() -> None:
    with pytest.raises(StarspielError, match=r"there is no game 'xxx.*…") as caught:
        load_game("x" * 5000)
    assert len(str(caught.value)) < 400
