"""The console script `starspiel`, and the names of its commands.

A package apart from `starspiel`, whose import loads and registers the games: `starspiel --help` and
`starspiel --version` need none of them. The commands are in `starspiel.cli`.
"""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts import App

#: The commands, in one line each.
COMMANDS = {
    "tournament": "Play a tournament between agents and rate them.",
    "play": "Play a game against an agent.",
    "replay": "Walk through a stored game.",
    "export": "Write stored games as CSV or JSON lines.",
    "merge": "Put the games of several stores into one.",
    "analyze": "Search a position and show the value of every move.",
    "games": "List the games that search plays.",
    "agents": "List the agents, their parameters and the evaluators.",
    "bench": "Time the searches, or measure how strong the agents are here.",
    "solve": "Solve a game exactly.",
    "train": "Train a network for a game by self-play.",
    "calibrate": "Tell whether an evaluator is linear in the expected return.",
    "check": "Check that a game keeps the contract that searches rely on.",
    "doctor": "Check the installation.",
}

_INTERRUPTED = 130


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        if sys.argv[1:] in ([], ["-h"], ["--help"], ["--version"]):
            _tell_of_all(sys.argv[1:])
            return
        from starspiel.cli.app import main as run
    except KeyboardInterrupt:  # Loading takes a moment, and Ctrl-C may come then.
        sys.exit(_INTERRUPTED)
    run()


def make_app(arguments: Sequence[str]) -> "App":
    """All commands are named, not imported: the one that the arguments name loads what it needs, no other.

    That one tells of itself by its docstring, which a line given here would hide.
    """
    from cyclopts import App

    app = App(
        name="starspiel",
        help=(
            "Search agents for games with dice, and tournaments between them.\n\n"
            "Games are OpenSpiel game strings; agents are specs such as "
            "star2(depth=3,evaluator=rollout(n=20)). `starspiel games` and `starspiel agents` list both."
        ),
        version=lambda: version("starspiel"),
        result_action="return_value",
    )
    for name, line in COMMANDS.items():
        app.command(f"starspiel.cli.{name}:{name}", name=name, help=None if name in arguments else line)
    return app


def write_what_can_be_written() -> None:
    """A terminal that knows few characters still gets its tables, with ? for the rest."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def leave_to_nobody() -> None:
    """For when the reader of stdout (head, less) has gone: what is left to write has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_of_all(arguments: list[str]) -> None:
    write_what_can_be_written()
    try:
        if arguments == ["--version"]:
            print(version("starspiel"))  # without what draws the help
        else:
            make_app(arguments)(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        leave_to_nobody()
