"""The console script `starspiel`, and the names of its commands.

A package apart from `starspiel`, whose import loads and registers the games: `starspiel` alone, `--help` and
`--version` need none of them. The commands are in `starspiel.cli`.
"""

import gc
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts import App

#: The commands, in one line each.
COMMANDS = {
    "tournament": "Play a tournament between agents and rate them.",
    "ladder": "Rate agents over months by the most informative games.",
    "play": "Play a game against an agent.",
    "replay": "Step through a stored game.",
    "export": "Write stored games as CSV or JSON lines.",
    "verify": "Verify a store by playing its games again.",
    "merge": "Merge several stores into one.",
    "analyze": "Search a position and show the value of every move.",
    "games": "List the games that can be searched.",
    "agents": "List the agents, their parameters and the evaluators.",
    "solve": "Solve a game exactly.",
    "train": "Train a network for a game by self-play.",
    "book": "Search a game's openings and write an opening book.",
    "calibrate": "Test whether an evaluator is linear in the expected return.",
    "check": "Check that a game keeps the contract that searches rely on.",
    "doctor": "Check the installation.",
}

#: Commands whose code can be taken out of the package: they are then not listed.
EXTRAS = {
    "ladder": "evaluation/ladder.py",
    "train": "agents/learning",
    "book": "agents/book",
    "calibrate": "agents/calibration",
}

#: What `starspiel` alone shows: each answers within seconds, with nothing to prepare.
FIRST_COMMANDS = {
    "starspiel tournament": "who is better: random, MCTS, expectiminimax, Star1 or Star2",
    "starspiel play star_pig": "you against an agent, at a game learnt in a minute",
    "starspiel analyze pig --tree pig.html": "what each move is worth, and the search drawn",
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
    # What is loaded stays to the end: the collector need not look at it again, least of all when leaving.
    gc.freeze()
    run()


def make_app(arguments: Sequence[str]) -> "App":
    """The app of all commands, which are named, not imported: only the one that the arguments name is loaded.

    That one's help is its docstring, which a line given here would hide.
    """
    from cyclopts import App, Parameter

    app = App(
        name="starspiel",
        help=(
            "Search agents for games with dice, and tournaments between them.\n\n"
            "A game is named as `starspiel games` lists it, by the id of a Gymnasium environment, or as "
            "module:Rules if it is your own; an agent as `starspiel agents` lists it, with its parameters in "
            "brackets: star2(depth=3,evaluator=rollout(n=20))."
        ),
        version=versions,
        result_action="return_value",
        default_parameter=Parameter(negative=""),
    )
    app.register_install_completion_command(
        help="Complete commands and flags by Tab in this shell (bash, zsh, fish, PowerShell).", group="Set up"
    )
    for name, line in COMMANDS.items():
        if _is_installed(name):
            app.command(f"starspiel.cli.{name}:{name}", name=name, help=None if name in arguments else line)
    return app


def _is_installed(command: str) -> bool:
    """Whether the code of a command is installed, without importing it."""
    found = find_spec("starspiel")
    folders = [] if found is None else [Path(each) for each in found.submodule_search_locations or ()]
    installed = [each for each in folders if (each / "evaluation/__init__.py").exists()]  # none if editable
    return command not in EXTRAS or not installed or (installed[0] / EXTRAS[command]).exists()


def write_what_can_be_written() -> None:
    """A terminal that knows few characters still gets its tables, with ? for the rest."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def leave_to_nobody() -> None:
    """For when the reader of stdout (head, less) has gone: what is left to write has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def versions() -> str:
    """starspiel's version, what its native core was built for, and the versions that it meets here."""
    starspiel = distribution("starspiel")
    # Written by CMakeLists.txt into the wheel's metadata, if the core was built.
    built_for = (starspiel.read_text("open_spiel_version.txt") or "").strip()
    core = f"native core for open_spiel {built_for}" if built_for else "Python engine only"
    here = ", ".join(f"{package} {installed_version(package)}" for package in ("open_spiel", "gymnasium"))
    return f"starspiel {starspiel.version} ({core}), {here}, Python {python_version()}"


def installed_version(package: str) -> str:
    """The version of a package, or "missing"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _tell_of_all(arguments: list[str]) -> None:
    write_what_can_be_written()
    try:
        if arguments == ["--version"]:
            print(versions())  # without what draws the help
        elif not arguments:
            width = max(map(len, FIRST_COMMANDS))
            print("Search agents for games with dice, and tournaments between them. To start with:\n")
            for command, line in FIRST_COMMANDS.items():
                print(f"  {command:<{width}}   {line}")
            print("\nAll commands: starspiel --help. All of one: starspiel tournament --help.")
        else:
            make_app(arguments)(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        leave_to_nobody()
