"""The console script `starspiel` and the names of its commands.

It is a separate package because importing `starspiel` loads and registers the games. `starspiel` without
arguments, `--help` and `--version` do not need them. The commands themselves are in `starspiel.cli`.
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

#: Each command's description in one line.
COMMANDS = {
    "tournament": "Play a tournament between agents and rate them.",
    "ladder": "Rate agents over months by the most informative games.",
    "play": "Play a game against an agent.",
    "replay": "Step through a stored game move by move.",
    "export": "Write stored games as CSV or JSON lines.",
    "verify": "Verify a store by replaying its games.",
    "merge": "Merge several stores into one.",
    "analyze": "Search a position and show the value of each move.",
    "games": "List the games that can be searched.",
    "agents": "List the agents with their parameters, and the evaluators.",
    "solve": "Solve a game exactly.",
    "train": "Train a network for a game by self-play.",
    "book": "Search a game's openings and write an opening book.",
    "calibrate": "Test whether an evaluator is linear in the expected return.",
    "check": "Check that a game meets the contract that searches rely on.",
    "doctor": "Check the installation.",
}

#: Commands whose code an installation may lack, and a path of that code: without it, they are not listed.
EXTRAS = {
    "ladder": "evaluation/ladder.py",
    "train": "agents/learning",
    "book": "agents/book",
    "calibrate": "agents/calibration",
}

#: The commands that `starspiel` without arguments suggests: each answers within seconds and needs no setup.
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
    # The loaded modules live until the process exits, so the garbage collector need not scan them again.
    gc.freeze()
    run()


def make_app(arguments: Sequence[str]) -> "App":
    """Returns the app of all commands; only the command that the arguments name is imported.

    That command's help is its docstring, which a help line given here would replace.
    """
    from cyclopts import App, Parameter

    app = App(
        name="starspiel",
        help=(
            "Search agents for games with dice, and tournaments between them.\n\n"
            "Name a game as `starspiel games` lists it, by the id of a Gymnasium environment, or as "
            "module:Rules if it is your own. Name an agent as `starspiel agents` lists it, with its "
            "parameters in brackets: star2(depth=3,evaluator=rollout(n=20))."
        ),
        version=versions,
        result_action="return_value",
        default_parameter=Parameter(negative=""),
    )
    app.register_install_completion_command(
        help="Install Tab completion in this shell (bash, zsh, fish, PowerShell).", group="Set up"
    )
    for name, line in COMMANDS.items():
        if _is_installed(name):
            app.command(f"starspiel.cli.{name}:{name}", name=name, help=None if name in arguments else line)
    return app


def _is_installed(command: str) -> bool:
    """Returns whether the code of a command is installed, without importing it."""
    found = find_spec("starspiel")
    folders = [] if found is None else [Path(each) for each in found.submodule_search_locations or ()]
    installed = [each for each in folders if (each / "evaluation/__init__.py").exists()]  # [] if editable
    return command not in EXTRAS or not installed or (installed[0] / EXTRAS[command]).exists()


def write_what_can_be_written() -> None:
    """Lets stdout and stderr print "?" for characters that their encoding lacks, instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def leave_to_nobody() -> None:
    """Discards further output on stdout, after its reader (head, less) has exited."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def versions() -> str:
    """Returns the versions of starspiel, of open_spiel for its native core, and of installed packages."""
    starspiel = distribution("starspiel")
    # Written by CMakeLists.txt into the wheel's metadata, if the core was built.
    built_for = (starspiel.read_text("open_spiel_version.txt") or "").strip()
    core = f"native core for open_spiel {built_for}" if built_for else "Python engine only"
    here = ", ".join(f"{package} {installed_version(package)}" for package in ("open_spiel", "gymnasium"))
    return f"starspiel {starspiel.version} ({core}), {here}, Python {python_version()}"


def installed_version(package: str) -> str:
    """Returns the version of an installed package, or "missing"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _tell_of_all(arguments: list[str]) -> None:
    write_what_can_be_written()
    try:
        if arguments == ["--version"]:
            print(versions())  # does not import rich and cyclopts, which draw the help
        elif not arguments:
            width = max(map(len, FIRST_COMMANDS))
            print("Search agents for games with dice, and tournaments between them. Start with:\n")
            for command, line in FIRST_COMMANDS.items():
                print(f"  {command:<{width}}   {line}")
            print("\nAll commands: starspiel --help. Help for one command: starspiel tournament --help.")
        else:
            make_app(arguments)(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        leave_to_nobody()
