"""Games are told apart by what they are: contents of files, classes in Python, parameters with defaults."""

import pickle

import pyspiel
import pytest

from starspiel import Limits, StarspielError, load_game, make_bot, search
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.named import canonical_name, goes_by, identity_of, same_game


def efg(best: int) -> str:
    """A die that decides between two decisions of one player; the first is worth `best`."""
    return f"""EFG 2 R "one" {{ "P1" "P2" }} ""
c "" 1 "" {{ "h" 1/2 "t" 1/2 }} 0
p "" 1 1 "" {{ "l" "r" }} 0
t "" 1 "a" {{ {best} {-best} }}
t "" 2 "b" {{ 1 -1 }}
p "" 1 2 "" {{ "l" "r" }} 0
t "" 3 "c" {{ {best} {-best} }}
t "" 4 "d" {{ 1 -1 }}
"""


def test_games_made_of_texts_never_share_anything():
    five, fifty = pyspiel.load_efg_game(efg(5)), pyspiel.load_efg_game(efg(50))
    assert str(five) == str(fifty)
    for algorithm in ("expectiminimax", "star1", "star2"):
        for game, best in ((five, 5), (fifty, 50), (five, 5)):
            found = search(game.new_initial_state().child(0), algorithm, limits=Limits(depth=5))
            assert (found.value, found.exact) == (best, True)
    assert load_game(five) is not load_game(fifty)
    assert not same_game(load_game(five), load_game(fifty))
    assert identity_of(load_game(five)) != identity_of(load_game(fifty))
    assert same_game(load_game(five), load_game(pyspiel.load_efg_game(efg(5))))
    bot = make_bot("star2(depth=3)", five)
    assert bot.step(pyspiel.load_efg_game(efg(5)).new_initial_state().child(0)) == 0
    with pytest.raises(StarspielError, match="another game named efg_game"):
        bot.step(fifty.new_initial_state().child(0))


@pytest.mark.parametrize("wrapped", ["{}", "zerosum(game={})", "start_at(history=0,game={})"])
def test_a_file_that_changes_is_another_game(tmp_path, wrapped):
    file = tmp_path / "one.efg"
    name = wrapped.format(f"efg_game(filename={file})")
    games = []
    for best in (5, 50):
        file.write_text(efg(best))
        games.append(load_game(name))
    assert [load_game(game).utility_range for game in games] == [game.utility_range for game in games]
    assert not same_game(*games)
    assert identity_of(games[0]) != identity_of(games[1])
    assert same_game(games[1], load_game(name))


def test_only_a_game_that_its_name_makes_again_is_pickled(tmp_path):
    file = tmp_path / "one.efg"
    file.write_text(efg(5))
    game = load_game(f"efg_game(filename={file})")
    sent = pickle.dumps(game)
    assert same_game(pickle.loads(sent), game)
    file.write_text(efg(50))
    with pytest.raises(StarspielError, match="a file that it names has changed"):
        pickle.loads(sent)
    with pytest.raises(StarspielError, match="a file that it names has changed"):
        pickle.dumps(game)
    with pytest.raises(StarspielError, match="Write it to a file"):
        pickle.dumps(load_game(pyspiel.load_efg_game(efg(5))))
    assert same_game(pickle.loads(pickle.dumps(load_game("pig(winscore=20)"))), load_game("pig(winscore=20)"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pig", "pig(players=2)"),
        ("pig()", "pig(winscore=100,players=2)"),
        ("hex(board_size=5)", "hex(num_rows=5,num_cols=5,board_size=5)"),
        ("misere(game=pig())", "misere(game=pig(players=2))"),
        (
            "start_at(history=0,game=misere(game=nim()))",
            "start_at(game=misere(game=nim(is_misere=true)),history=0)",
        ),
    ],
)
def test_defaults_that_are_spelled_out_make_no_other_game(one, other):
    games = [load_game(one), load_game(other)]
    assert same_game(*games)
    assert identity_of(games[0]) == identity_of(games[1])
    assert canonical_name(games[0]) == canonical_name(games[1])
    state = games[1].new_initial_state()
    assert make_bot("random", one, seed=1).step(state) in state.legal_actions()
    assert make_bot("star2(depth=1)", one, seed=1).step(state) in state.legal_actions()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pig", "pig(winscore=20)"),
        ("misere(game=pig())", "misere(game=pig(winscore=20))"),
        ("misere(game=pig())", "pig"),
        ("star_pig", "star_pig(goal=20)"),
        ("star_pig", "pig"),
    ],
)
def test_other_parameters_make_another_game(one, other):
    assert not same_game(load_game(one), load_game(other))
    with pytest.raises(StarspielError, match="this bot was made for"):
        make_bot("star2(depth=1)", one).step(load_game(other).new_initial_state())


def test_games_in_python_registered_twice_under_one_name_are_two():
    first = load_game("python_tic_tac_toe")  # registers OpenSpiel's games in Python
    from open_spiel.python.games import tic_tac_toe

    class Other(tic_tac_toe.TicTacToeGame):
        """Tic-tac-toe as well, but nobody can know that."""

    wrapped = load_game("misere(game=python_tic_tac_toe())")
    try:
        pyspiel.register_game(tic_tac_toe._GAME_TYPE, Other)
        second = load_game("python_tic_tac_toe")
        assert first.name == second.name
        assert not same_game(first, second)
        assert not same_game(wrapped, load_game("misere(game=python_tic_tac_toe())"))
        with pytest.raises(StarspielError, match="this bot was made for"):
            make_bot("star1(depth=1)", first).step(second.new_initial_state())
    finally:
        pyspiel.register_game(tic_tac_toe._GAME_TYPE, tic_tac_toe.TicTacToeGame)
    assert same_game(first, load_game("python_tic_tac_toe"))


def test_tables_of_one_name_are_told_apart_by_what_they_hold():
    def lake(reward: float):
        table = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, reward, True)]}}
        return TableGame(table, {0: 1.0}, name="Lake-v0", horizon=3)

    assert same_game(lake(1.0), lake(1.0))
    assert not same_game(lake(1.0), lake(2.0))
    assert identity_of(lake(1.0)) != identity_of(lake(2.0))


def test_a_solution_is_known_by_every_name_of_its_game():
    assert goes_by(load_game("misere(game=nim())"), "misere(game=nim(is_misere=true))")
    assert goes_by(load_game("pig"), "pig(players=2)")
    assert not goes_by(load_game("pig"), "pig(winscore=20)")
    assert not goes_by(load_game("pig"), "no_such_game")


def test_adapters_of_games_are_never_mixed_up():
    for points in range(2, 200):  # more than are kept
        game = pyspiel.load_game(f"pig(winscore={points})")
        assert load_game(game).pyspiel_game is game
        assert load_game(game) is load_game(game)
        assert load_game(game.new_initial_state().get_game()).name == str(game)
