"""How commands print: widths, and what is said if there is no room."""

import os
import sys
from dataclasses import replace

import pytest
from rich.console import Console

from starspiel.cli.progress import Display, _line
from starspiel.evaluation import Progress, tournament
from starspiel.evaluation.statistics.tally import Tally


@pytest.mark.parametrize(("columns", "widest"), [("60", 60), ("100", 100), ("", 160), ("none", 160)])
def test_what_goes_into_a_pipe_is_as_wide_as_columns_says(run, monkeypatch, columns, widest):
    monkeypatch.setenv("COLUMNS", columns)
    assert 60 <= max(map(len, run("agents")[1].splitlines())) <= widest


@pytest.fixture
def progress():
    """Far into a long tournament."""
    tally = Tally(2)
    tally.games = 12_197_530
    return Progress(98_765, 100_000, 0, 36_000.0, tally, None, ("a" * 60, "star2(depth=3)"))


def test_the_progress_line_is_whole_at_80_columns(progress):
    line = _line(progress, progress)
    assert len(line) <= 80
    for part in ("98,765 of 100,000 pairs", "338.8 games/s", "about 7 min 30 s left"):
        assert part in line
    console = Console(width=80, force_terminal=True, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    with Display(console) as display:
        display._shown -= 60
        display.show(progress)
    assert line in [drawn.rstrip() for drawn in console.export_text().splitlines()]


def test_what_agents_take_to_start_is_not_expected_again(progress):
    tenth = replace(progress, done=10, total=100, seconds=60.0)
    assert "about 9 min 00 s left" in _line(tenth, tenth)
    assert "about 9 s left" in _line(replace(tenth, done=91, seconds=141.0), tenth)
    from_store = replace(tenth, stored=9)
    assert "about 1 h 30 min left" in _line(from_store, from_store)


@pytest.mark.parametrize(
    ("game", "count", "said"),
    [
        ("tic_tac_toe", " of 6 pairs", "for all 3 comparisons"),
        ("catch", " of 6 games", "no difference is significant"),
    ],
)
def test_a_pipe_is_told_what_is_sure(game, count, said, capsys):
    display = Display(Console(file=sys.stderr))
    display._every = 0.0
    with display:
        tournament(game, {"a": "random", "b": "random", "c": "random"}, pairs=2, on_pair=display.show)
    lines = capsys.readouterr().err.splitlines()
    assert count in lines[-2]
    assert lines[-1].startswith("Whenever you stop, ")
    assert said in lines[-1]


def test_a_table_says_what_it_has_no_room_for():
    result = tournament("pig(winscore=5)", ["random", "star2(depth=1)"], pairs=2)
    shown = {}
    for width in (60, 80, 200):
        console = Console(width=width, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
        console.print(result)
        shown[width] = console.export_text()
    assert "No room for" not in shown[200]
    for width in (60, 80):
        (note,) = [line for line in shown[width].splitlines() if "No room for" in line]
        header = next(line for line in shown[width].splitlines() if "agent" in line)
        for column in ("95 %", "points", "games", "score", "W-D-L", "nodes/move", "ms/move"):
            assert (column in header) != (column in note), (width, column)
