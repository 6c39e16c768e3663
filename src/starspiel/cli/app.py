"""`main`: the commands, and how errors and interruptions leave them."""

import os
import signal
import sys
from io import TextIOWrapper

import cyclopts
from cyclopts import App
from rich.console import Console

import starspiel
from starspiel.envs.modules import place_in_named_module

#: Exit codes: all well, a check failed, wrong usage, interrupted (as shells have it).
OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

#: The commands, in one line each.
_COMMANDS = {
    "tournament": "Play a tournament between agents and rate them.",
    "play": "Play a game against an agent.",
    "replay": "Walk through a stored game.",
    "export": "Write stored games as CSV or JSON lines.",
    "analyze": "Search a position and show the value of every move.",
    "games": "List the games that search plays.",
    "agents": "List the agents, their parameters and the evaluators.",
    "bench": "Time the searches beside OpenSpiel's own.",
    "solve": "Solve a game exactly.",
    "check": "Check that a game keeps the contract that searches rely on.",
    "doctor": "Check the installation.",
}


def _app(arguments: list[str]) -> App:
    """All commands are named, not imported: the one that the arguments name loads what it needs, no other.

    That one tells of itself by its docstring, which a line given here would hide.
    """
    app = App(
        name="starspiel",
        help=(
            "Search agents for games with dice, and tournaments between them.\n\n"
            "Games are OpenSpiel game strings; agents are specs such as "
            "star2(depth=3,evaluator=rollout(n=20)). `starspiel games` and `starspiel agents` list both."
        ),
        version=starspiel.__version__,
        result_action="return_value",
    )
    for name, line in _COMMANDS.items():
        app.command(f"starspiel.cli.{name}:{name}", name=name, help=None if name in arguments else line)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits with its code; an error of the user's is one line on stderr."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Jobs that a script starts with & ignore it.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # A terminal that knows few characters still gets its table.
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = _app(arguments)(arguments, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except cyclopts.CycloptsError as error:
        sys.exit(_complain(_plain(error)))
    except starspiel.StarspielError as error:
        sys.exit(_complain(str(error)))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has gone; what is left to write has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OK)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}."))
    except Exception as error:
        place = place_in_named_module(error)
        if place is None:
            raise  # our own fault, and the traceback is wanted
        sys.exit(_complain(f"{type(error).__name__}: {' '.join(str(error).split())}, in {place}."))
    sys.exit(code if isinstance(code, int) else OK)


def _complain(message: str) -> int:
    first_line = message.partition("\n")[0]  # An exception that a bot raised may have several.
    console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    console.print(f"starspiel: {first_line}")
    return USAGE


def _plain(error: cyclopts.CycloptsError) -> str:
    """The message of a parsing error on one line."""
    if isinstance(error, cyclopts.UnusedCliTokensError):
        return f"did not expect {' '.join(error.unused_tokens or ())!r}; see --help."
    return " ".join(str(error).split())
