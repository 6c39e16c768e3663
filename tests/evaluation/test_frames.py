"""How many frames lie between a command and the search that it asks for."""

import sys

import pytest

from starspiel.cli.app import main
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=10)"
#: Of the product between a tournament and the engine; more are layers that buy nothing.
MOST = 14


def frames_to_the_engine(play):
    """The package's functions on the way from `play` to the first search of an engine."""
    found = []

    def trace(frame, event, arg):
        if event != "call" or found or frame.f_code.co_name != "search_with":
            return
        at = frame
        while at is not None:
            module = at.f_globals.get("__name__", "")
            if module.partition(".")[0] == "starspiel":
                found.insert(0, f"{module}.{at.f_code.co_name}")
            at = at.f_back

    sys.setprofile(trace)
    try:
        play()
    finally:
        sys.setprofile(None)
    return found


def by_command():
    command = ["tournament", PIG, "--agents", "random", "star2(depth=1)", "--pairs", "1"]
    with pytest.raises(SystemExit):
        main(command)


def by_function():
    tournament(PIG, ["random", "star2(depth=1)"], pairs=1)


@pytest.mark.parametrize("play", [by_command, by_function])
def test_a_tournament_reaches_the_engine_in_few_frames(play, capsys):
    found = frames_to_the_engine(play)
    assert found[-1].endswith("search_with"), "the engine is reached"
    assert "play_game" in " ".join(found)
    assert len(found) <= MOST, "\n".join(found)
