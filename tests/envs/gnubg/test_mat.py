"""Games as .mat: the text by hand, and the score that GNU Backgammon reads from it."""

import re
import shutil
import subprocess

import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.gnubg.mat import mat_game
from starspiel.envs.load import load_game
from starspiel.envs.plays import meant, name_of
from starspiel.evaluation.store.mat import write_mat
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PROGRAM = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
FULL = "backgammon(scoring_type=full_scoring)"


def test_a_beginning_by_hand() -> None:
    """Player 1 begins, so the left column is empty first; both halves of a double are one play."""
    game = load_game("backgammon")
    state, steps = game.new_initial_state(), []
    # OpenSpiel's throws: player 1 begins with 3 and 1; then two twos, and 6 and 4.
    for name, play in (
        ("o starts, rolled 3 1", "8/5 6/5"),
        ("rolled 2 2", "13/11(2) 6/4(2)"),
        ("rolled 4 6", "24/18 13/9"),
    ):
        throws = [each for each, _ in state.chance_outcomes() if name_of(state, CHANCE, each) == name]
        actions = throws[:1]
        for action in [*actions, *meant(game, state.child(actions[0]), play)]:
            steps.append((state, action))
            state = state.child(action)
    lines = mat_game(7, ["Ann : 3", "Bob : 0"], steps, points=-2).splitlines()
    assert lines == [
        "",
        " Game 7",
        " Ann : 3                               Bob : 0",
        "  1)                                   31: 8/5 6/5",
        "  2) 22: 13/11 13/11 6/4 6/4           64: 24/18 13/9",
        "                                        Wins 2 points",
    ]
    swapped = mat_game(7, ["Ann : 3", "Bob : 0"], steps, points=-2, left=1).splitlines()
    assert swapped[3] == "  1) 31: 8/5 6/5                       22: 13/11 13/11 6/4 6/4"
    assert swapped[-1] == "      Wins 2 points"


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="the program gnubg is not installed")
def test_gnubg_reads_every_game(tmp_path) -> None:
    """Also those of players with long names; the last game, whose score gnubg counts itself, is a gammon."""
    names = ["pubeval_that_is_well_known_to_everybody", "random_that_is_well_known_to_everybody"]
    agents = [f"{name}={name.partition('_')[0]}" for name in names]
    tournament(FULL, agents, pairs=3, seed=3, store=tmp_path / "games.db")
    points = dict.fromkeys(names, 0)
    expected = []
    with Store(tmp_path / "games.db") as store, open(tmp_path / "games.mat", "w") as file:
        for stored in store.games():
            won = stored.record.returns[0]
            points[stored.names[won < 0]] += int(abs(won))
            expected.append(tuple(str(points[name]) for name in names))
        write_mat(store.games(), file)
    done = subprocess.run(
        [PROGRAM, "--tty", "--quiet", "--no-rc"],
        input=f"set jacoby off\nimport mat {tmp_path}/games.mat\nshow scoresheet\nquit\ny\n",
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "LC_ALL": "C"},
        check=True,
    )
    sheet = done.stdout[done.stdout.index("Score Sheet") :]
    found = re.findall(r"^\s*(\d+) \| (\d+)\s*$", sheet, re.MULTILINE)
    assert abs(won) > 1
    titles = [name[:31] for name in names]  # gnubg shows no more
    assert found == (expected if " | ".join(titles) in sheet else [(b, a) for a, b in expected])
    assert all(title in sheet for title in titles)


def test_other_games_are_refused(tmp_path) -> None:
    tournament("pig(winscore=10)", ["random", "greedy"], pairs=1, seed=3, store=tmp_path / "games.db")
    with (
        Store(tmp_path / "games.db") as store,
        open(tmp_path / "games.mat", "w") as file,
        pytest.raises(StarspielError, match=r"\.mat is for games of backgammon"),
    ):
        write_mat(store.games(), file)
    assert (tmp_path / "games.mat").read_text() == ""


def test_a_session_is_of_two_players(tmp_path) -> None:
    """GNU Backgammon would credit two of them with the games of the third."""
    tournament(FULL, ["random", "greedy", "pubeval"], pairs=1, seed=3, store=tmp_path / "games.db")
    with (
        Store(tmp_path / "games.db") as store,
        open(tmp_path / "games.mat", "w") as file,
        pytest.raises(StarspielError, match=r"a \.mat session has two players, here random and greedy"),
    ):
        write_mat(store.games(), file)
