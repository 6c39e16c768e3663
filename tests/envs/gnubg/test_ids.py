"""Position ID, Match ID and XGID: what is written is read, and GNU Backgammon reads and writes the same."""

import random
import re
import shutil
import subprocess

import pytest

from starspiel.envs.errors import StarspielError
from starspiel.envs.gnubg.ids import from_ids, match_id, position_id
from starspiel.envs.gnubg.position import Position
from starspiel.envs.gnubg.text import read_position
from starspiel.envs.gnubg.xgid import from_xgid, xgid

BAR = 24
PROGRAM = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


def any_position(draw: random.Random) -> Position:
    """Up to 15 checkers a player anywhere, a point to one player at most."""
    owners: dict[int, int] = {}
    sides = [[0] * (BAR + 1), [0] * (BAR + 1)]
    for player in (0, 1):
        for _ in range(draw.randint(1, 15)):
            place = draw.randrange(BAR + 1)
            if place != BAR and owners.setdefault(place if player == 0 else 23 - place, player) != player:
                continue
            sides[player][place] += 1
        sides[player][BAR] += not any(sides[player])
    dice = sorted((draw.randint(1, 6), draw.randint(1, 6)), reverse=True)
    return Position((tuple(sides[0]), tuple(sides[1])), draw.randrange(2), tuple(dice))


START = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)


def test_published_ones() -> None:
    """The opening position, whose names GNU Backgammon's manual and eXtreme Gammon print."""
    opening = Position((START, START), 0, (3, 1))
    assert position_id(opening) == "4HPwATDgc/ABMA"
    assert xgid(opening) == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


@pytest.mark.parametrize("before", ["XGID=", "xgid=", " ", ""])
def test_an_xgid_is_known_without_its_word(before: str) -> None:
    opening = Position((START, START), 0, (3, 1))
    assert read_position(f"{before}-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10") == opening


@pytest.mark.parametrize(
    "text",
    [
        " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cIkFAAAAAAAE\n",
        "Position ID: 4HPwATDgc/ABMA Match ID: cIkFAAAAAAAE",
    ],
)
def test_gnubg_s_two_lines_are_read(text: str) -> None:
    assert read_position(text) == from_ids("4HPwATDgc/ABMA:cIkFAAAAAAAE")
    assert read_position(text[: text.index("Match")]) == from_ids("4HPwATDgc/ABMA")


def test_round_trips() -> None:
    draw = random.Random(1)
    for _ in range(10_000):
        position = any_position(draw)
        assert from_ids(f"{position_id(position)}:{match_id(position, draw.randrange(26))}") == position
        assert from_xgid(xgid(position, draw.randrange(26))) == position


@pytest.mark.skipif(PROGRAM is None, reason="the program gnubg is not installed")
def test_gnubg_says_the_same(tmp_path) -> None:
    draw = random.Random(2)
    positions = [any_position(draw) for _ in range(10_000)]
    end = "show jacoby"  # whose answer parts the boards that it prints
    asked = [
        line
        for position in positions
        for line in (
            f"set gnubgid {position_id(position)}:{match_id(position)}",
            end,
            f"set xgid {xgid(position)}",
            end,
        )
    ]
    settings = [
        "set player 0 human",
        "set player 1 human",
        "set automatic game off",
        "set automatic roll off",
    ]
    settings += ["set automatic move off", "set jacoby off", "set confirm new off"]
    done = subprocess.run(
        [PROGRAM, "--tty", "--quiet", "--no-rc"],
        input="\n".join([*settings, *asked, "quit", "y", ""]),
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "LC_ALL": "C"},
        check=True,
    )
    boards = done.stdout.split("New money sessions are")[:-1]
    found = [re.findall(r"Position ID: (\S+)\s+Match ID\s*: (\S+)", board)[-1] for board in boards]
    for position, by_id, by_xgid in zip(positions, found[::2], found[1::2], strict=True):
        assert by_id == (position_id(position), match_id(position))
        assert by_xgid[0] == position_id(position)  # it turns the board round for player 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("4HPwATDgc/ABM", "a Position ID of 14 characters"),
        ("4HPwATDgc/ABMA:cAkA", "a Match ID of 12 characters"),
        ("//////////////", "a Position ID of 14 characters|a Position ID of two players"),
        ("/////////////w", "a Position ID of two players"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31", "an XGID of 10 fields, .* got 5 fields"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:2:31:0:0:0:0:10", "1 or -1 in its fourth field"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:37:0:0:0:0:10", "two dice"),
        ("XGID=-b----E-C---eE---c-e----O-:0:0:1:31:0:0:0:0:10", "1 to 15 checkers a player"),
        ("XGID=Ab----E-C---eE---c-e----A-:0:0:1:31:0:0:0:0:10", "first letter is of player 1's"),
        ("XGID=-b----E-C---eE---c-d----Ba:0:0:1:31:0:0:0:0:10", "last is of player 0's"),
        ("XGID=-b----E-C---eE---c-e---\ufb00B-:0:0:1:31:0:0:0:0:10", "letters from A to O"),
        ("AAAAAAAAAAAAAA", "1 to 15 checkers a player"),
    ],
)
def test_what_is_no_position_is_refused(text: str, says: str) -> None:
    with pytest.raises(StarspielError, match=says):
        read_position(text)
