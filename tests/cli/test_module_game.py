"""A game of one's own, named at the terminal by its module."""

import json
import sys
from pathlib import Path

import pytest
from support import three

RULES = '''
from starspiel.envs.games.pig import Pig

class Hog(Pig):
    """Pig to twelve with eight sides."""
    name = "hog"

    def __init__(self, sides: int = 8):
        super().__init__(goal=12, sides=sides)

class Lame(Hog):
    """Hogs that cannot go on."""
    def apply(self, position, action):
        if position.scores[0]:
            return [][action]
        return super().apply(position, action)

class Long(Hog):
    """Hogs that are never full."""
    def apply(self, position, action):
        return self.initial() if position.scores[0] > 3 else super().apply(position, action)

class Long(Hog):
    """Hogs that are never full."""
    def apply(self, position, action):
        after = super().apply(position, action)
        return self.initial() if self.player(after) == -4 else after

class Farmer:
    def step(self, state):
        return state.legal_actions()[0]
'''


@pytest.fixture
def starspiel(run, tmp_path: Path, monkeypatch):
    """Runs a command in a directory that holds the module `farm`; returns stdout, or stderr if it fails."""
    (tmp_path / "farm.py").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "farm", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def starspiel(*arguments: str, lines: str = "", code: int = 0) -> str:
        found, out, err = run(*arguments, lines=lines)
        assert found == code, err
        return err if code else out

    return starspiel


def test_check_solve_and_play_take_it(starspiel) -> None:
    assert "farm:Hog keeps the contract." in starspiel(
        "check", "farm:Hog", "--games", "20", "--positions", "99"
    )
    solved = json.loads(starspiel("solve", "farm:Hog(sides=4)", "--output", "hog.npz", "--json"))
    assert solved["game"] == "farm:Hog(sides=4)"
    optimal = "optimal(solution=hog.npz)"
    out = starspiel("play", "farm:Hog(sides=4)", "--opponent", optimal, "--seat", "1", lines="1\nq\n")
    assert "starspiel play --resume Hog.play.json" in out
    assert "farm:Hog(sides=4), against" in starspiel("play", "--resume", "Hog.play.json", lines="q\n")


def test_an_agent_in_its_place_is_told_apart(starspiel) -> None:
    assert "farm:Farmer makes an agent, and a game is expected here." in starspiel(
        "check", "farm:Farmer", code=2
    )


def test_what_its_rules_raise_is_one_line_with_the_place(starspiel) -> None:
    told = starspiel("solve", "farm:Lame", code=2).splitlines()
    assert told[-1] == "starspiel: IndexError: list index out of range, in apply(), farm.py:15."
    assert not any("Traceback" in line for line in told)


def test_rules_that_seem_to_have_no_end_are_told_so(starspiel, run) -> None:
    told = {game: run("play", f"farm:{game}", lines="q\n")[2] for game in ("Hog", "Long")}
    assert ["random games had not ended" in err for err in told.values()] == [False, True], told


def test_a_game_of_three_is_checked_and_analyzed(starspiel):
    Path("trio.py").write_text(Path(three.__file__).read_text())
    assert "trio:Race keeps the contract" in starspiel(
        "check", "trio:Race", "--games", "30", "--seconds", "3"
    )
    given = ("--history", "0", "--agent", "star1(depth=2)", "--json")
    answer = json.loads(starspiel("analyze", "trio:Race", *given))
    assert answer["player"] == answer["perspective"] == 1
    assert answer["value"] == answer["returns"][1]
    assert sum(answer["returns"]) == pytest.approx(1.0)
    assert "for player 1" in starspiel("analyze", "trio:Race", "--history", "0")
