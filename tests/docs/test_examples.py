"""The examples run as they say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=EXAMPLES, env=os.environ, capture_output=True, text=True, check=True)
    return done.stdout


def test_openspiel_evaluate_bots():
    assert "in 10 games" in run(sys.executable, "openspiel_evaluate_bots.py", "pig(winscore=20)")


def test_the_drawn_searches_of_the_pages_are_those_that_the_example_draws(tmp_path):
    out = run(sys.executable, "see_the_search.py", str(tmp_path))
    assert out.splitlines() == [
        "expectiminimax: value 4, 15 nodes",
        "star1: value 4, 9 nodes",
        "star2: value 4, 5 nodes",
    ]
    for drawn in sorted(tmp_path.iterdir()):
        shipped = EXAMPLES.parent / "docs" / "pictures" / drawn.name
        assert drawn.read_text(encoding="utf-8") == shipped.read_text(encoding="utf-8")


def test_a_bot_of_your_own_enters_a_tournament_by_its_module():
    code = "from starspiel.cli import main; main()"
    agents = ("bot_of_your_own:HoldAt(points=20)", "random")
    out = run(sys.executable, "-c", code, "tournament", "pig", "--agents", *agents, "--pairs", "5")
    assert "HoldAt" in out.split(" 1 ")[1]
    assert "Faults" not in out


@pytest.mark.slow
def test_the_solo_game_is_checked_and_solved_by_its_module(tmp_path):
    code = "from starspiel.cli import main; main()"
    checked = run(sys.executable, "-c", code, "check", "solo_yahtzee:ThreeDice", "--games", "20")
    assert "keeps the contract" in checked
    file = str(tmp_path / "three_dice.npz")
    solved = run(sys.executable, "-c", code, "solve", "solo_yahtzee:ThreeDice", "--output", file)
    assert "value 46.37" in solved
