"""Keys of OpenSpiel's games: never one key for two futures, on positions that are met in several ways."""

import random

import pyspiel
import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.conformance import check_game
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame, qualifying_games
from starspiel.envs.openspiel.keys import Counted

#: Every game with a key, and small variants in which orders of moves meet more often.
KEYED = [
    *("2048", "2048(max_tile=16)", "backgammon", "backgammon(max_player_turns=6)"),
    *("backgammon(scoring_type=full_scoring)", "banqi", "banqi(max_no_progress=4)"),
    *("breakthrough(rows=5,columns=4)", "catch", "catch(rows=3,columns=7)", "cliff_walking"),
    *("cliff_walking(horizon=8)", "clobber(rows=4,columns=4)", "connect_four"),
    *("connect_four(rows=4,columns=4,x_in_row=3)", "dots_and_boxes"),
    *("dots_and_boxes(num_rows=1,num_cols=3,utility_margin=true)", "einstein_wurfelt_nicht"),
    *("gomoku(size=4,connect=3)", "gomoku(size=3,dims=3,connect=3,wrap=true)", "hex(board_size=4)"),
    *("hex(board_size=3,swap=true)", "maedn", "maedn(twoPlayersOpposite=false)", "mnk(m=4,n=4,k=3)"),
    *("nim", "nim(pile_sizes=2;2;4,is_misere=false)", "othello", "pentago", "pig", "pig(horizon=20)"),
    *("pig(piglet=true,winscore=10)", "tic_tac_toe", "ultimate_tic_tac_toe", "y(board_size=5)"),
    *("yacht(num_dice=2)", "yacht(num_dice=3,players=1,sort_dice=true)"),
]


#: Positions of games that seldom come to one again.
POSITIONS = {"banqi(max_no_progress=4)": 12_000, "banqi": 4000, "othello": 4000}
POSITIONS |= {"einstein_wurfelt_nicht": 3000, "y(board_size=5)": 3000}


def keys_check(game, positions=None):
    positions = positions or POSITIONS.get(game.name, 1500)
    report = check_game(game, games=0, positions=positions, seconds=60.0, seed=3)
    return next(check for check in report.checks if check.name == "keys")


@pytest.mark.parametrize("spec", KEYED)
def test_equal_keys_have_equal_futures(spec):
    check = keys_check(load_game(spec))
    assert check.ok, str(check)
    met_again = int(check.looked_at.split()[0].replace(",", ""))
    assert met_again > 50 or spec in ("ultimate_tic_tac_toe", "banqi(max_no_progress=4)")


def test_yacht_with_all_its_dice():
    check = keys_check(load_game("yacht"), positions=400)
    assert check.ok, str(check)


def test_every_game_with_a_key_is_walked():
    keyed = {name for name in qualifying_games() if load_game(name).has_key}
    assert {spec.split("(")[0] for spec in KEYED} == keyed


def text_and_player(state, sound):
    return state.current_player(), str(state)


def uncounted(state, sound):
    key = sound(state)
    return key.position if isinstance(key, Counted) else key


@pytest.mark.parametrize(
    ("spec", "broken"),
    [
        ("2048", text_and_player),
        ("banqi", text_and_player),
        ("banqi(max_no_progress=4)", uncounted),
        ("cliff_walking(horizon=8)", text_and_player),
        ("einstein_wurfelt_nicht", text_and_player),
        ("go(board_size=3)", text_and_player),
        ("maedn", text_and_player),
        ("oware(num_houses_per_player=3,num_seeds_per_house=2)", text_and_player),
        ("pig(horizon=20)", uncounted),
        ("yacht(num_dice=2)", text_and_player),
    ],
)
def test_the_walk_finds_keys_that_leave_something_out(spec, broken):
    game = OpenSpielGame(pyspiel.load_game(spec))
    sound = game.key
    game.key = lambda state: broken(state, sound)
    check = keys_check(game)
    assert not check.ok
    assert "one key for two futures" in check.findings[0]


@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ("pig(horizon=30)", lambda player: player != CHANCE),
        ("backgammon(max_player_turns=12)", lambda player: player == CHANCE),
    ],
)
def test_near_the_cut_off_the_key_counts_down_to_it(spec, counts):
    game = load_game(spec)
    rng = random.Random(5)
    cut_off = 0
    for _ in range(60):
        state = game.new_initial_state()
        left = game.key(state).left
        while not state.is_terminal():
            assert game.key(state) == Counted(str(state), left)
            left -= counts(state.current_player())
            state = state.child(rng.choice(state.legal_actions()))
        assert left >= 0
        cut_off += left == 0 and state.returns()[0] == 0
    assert cut_off > 10


def test_banqi_counts_down_to_its_no_progress_draw():
    game = load_game("banqi(max_no_progress=12)")
    rng = random.Random(2)
    drawn = 0
    for _ in range(30):
        state = game.new_initial_state()
        while not state.is_terminal():
            moves = [action for action in state.legal_actions() if action >= 32]
            flips = [action for action in state.legal_actions() if action < 32]
            # Turning few pieces makes long quiet stretches with a capture now and then.
            state = state.child(rng.choice(moves if moves and (not flips or rng.random() < 0.9) else flips))
            if state.is_chance_node():
                state = state.child(rng.choice(state.legal_actions()))
                assert state.is_terminal() or game.key(state).left == 12
                last = 12
            elif not state.is_terminal():
                left = game.key(state).left
                assert left in (last - 1, 12)
                last = left
            elif state.returns()[0] == 0:
                assert last == 1
                drawn += 1
    assert drawn > 10


def test_far_from_the_cut_off_the_counter_is_left_out():
    game = load_game("pig")
    state = game.new_initial_state()
    later = state.child(1).child(1)  # both stop with nothing
    assert game.key(later) == game.key(state)
    assert game.key_depth == 100
    assert load_game("einstein_wurfelt_nicht").key_depth is None


def test_games_without_a_sound_key_have_none():
    for spec in ("chess", "go", "oware", "quoridor", "checkers", "misere(game=tic_tac_toe())"):
        game = load_game(spec)
        assert not game.has_key
        assert game.key(game.new_initial_state()) is None
