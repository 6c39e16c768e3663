"""Runs a command of the command line, and turns errors and interruptions into messages and exit codes."""

import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cyclopts
from rich.console import Console

import starspiel
from starspiel.cli.flags import as_meant, completed
from starspiel.envs.errors import StarspielWarning
from starspiel.envs.modules import place_in_named_module, resolve
from starspiel.envs.text import printable
from starspiel_cli import leave_to_nobody, make_app, write_what_can_be_written

#: Exit codes: success, a failed check, wrong usage, interrupted (the code that shells use for Ctrl-C).
OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits with its code; a user's error is reported as one line on stderr."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Scripts start jobs with & that ignore SIGINT.
    write_what_can_be_written()
    arguments = completed(sys.argv[1:] if arguments is None else arguments)
    try:
        with _warnings_in_a_line():
            app = make_app(arguments)
            app.config = (as_meant,)
            code = app(arguments, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except cyclopts.UnusedCliTokensError as error:
        unexpected = f"did not expect {' '.join(error.unused_tokens or ())!r}; see --help."
        sys.exit(_complain(_meant("put_together", arguments) or unexpected))
    except cyclopts.UnknownOptionError as error:
        meant = _meant("parameter_meant", error.token.keyword or error.token.value, arguments)
        sys.exit(_complain(meant or " ".join(str(error).split())))
    except cyclopts.CycloptsError as error:
        sys.exit(_complain(" ".join(str(error).split())))
    except starspiel.StarspielError as error:
        sys.exit(_complain(_meant("put_together", arguments) or str(error)))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        leave_to_nobody()
        sys.exit(OK)
    except OSError as error:
        leave_to_nobody()
        from starspiel.evaluation.outputs import DISK_ERRORS, unwritable

        if error.filename is None and error.errno in DISK_ERRORS:
            sys.exit(_complain(str(unwritable("standard output", None, error))))
        sys.exit(_complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}."))
    except Exception as error:
        place = place_in_named_module(error)
        if place is None:
            raise  # a bug of starspiel, so the traceback is useful
        sys.exit(_complain(f"{type(error).__name__}: {' '.join(str(error).split())}, in {place}."))
    sys.exit(code if isinstance(code, int) else OK)


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Within this context, each starspiel warning is shown once, as one line without its source location."""
    shown, told = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, StarspielWarning):
            if str(message) not in told:
                told.add(str(message))
                _complain(f"warning: {message}")
        else:
            shown(message, category, *place, **more)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = shown


def _meant(how: str, *arguments: Any) -> str:
    """Returns what a wrong command should have been, from a function of split_specs (slow to import)."""
    return str(resolve(f"starspiel.cli.split_specs:{how}")(*arguments))


def _complain(message: str) -> int:
    first_line = message.partition("\n")[0]  # An exception that a bot raised may have several.
    console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    console.print(f"starspiel: {printable(first_line)}")
    return USAGE
