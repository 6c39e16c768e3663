"""Prints the answers of commands, as tables for people or one JSON object for programs, and reads keys."""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from getpass import getpass
from math import isfinite
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from starspiel.envs.errors import StarspielError
from starspiel.envs.modules import is_installed, resolve
from starspiel.envs.text import printable, without_colours
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.processes.concealed import conceal
from starspiel_cli import leave_to_nobody

#: The width of output into a pipe or a file, in columns.
_WIDTH_OF_FILES = 160


def show(renderable: RenderableType) -> None:
    """Prints for people on stdout, as wide as the terminal or COLUMNS, or else wide enough for tables."""
    console = PlainConsole()
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console.width = _WIDTH_OF_FILES
    console.print(renderable)


def show_json(answer: dict[str, Any]) -> None:
    """Prints one JSON object on stdout, with null for NaN and infinity, which JSON cannot represent."""
    try:
        json.dump(_finite(answer), sys.stdout, allow_nan=False, default=str)
        sys.stdout.write("\n")
        sys.stdout.flush()
    except BrokenPipeError:  # What is left to do, as a report, is done all the same.
        leave_to_nobody()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def picked(value: Any, names: str) -> dict[str, Any]:
    """Returns the attributes of a value whose names are given, separated by spaces; by name."""
    return {name: getattr(value, name) for name in names.split()}


def table_of(*left: str, right: Iterable[str] = ()) -> Table:
    """Returns an empty table with left-aligned columns for words, then right-aligned columns for numbers."""
    table = Table(box=None, pad_edge=False)
    for column in left:
        table.add_column(column)
    for column in right:
        table.add_column(column, justify="right")
    return table


@contextlib.contextmanager
def counting(what: str, between: str, after: str = "") -> Iterator[Callable[[int, int], None]]:
    """Shows a status on stderr, such as "position 3 of at most 50"; yields the function that updates it."""
    with Console(stderr=True).status(f"{what} 1", spinner="line") as status:
        yield lambda done, most: status.update(f"{what} {done:,} {between} {most:,}{after}")


class Board:
    """A drawing of a state: in colours on a terminal, elsewhere with brackets that replace the colours."""

    def __init__(self, state: Any, viewer: int = 0) -> None:
        board = "starspiel.envs.boards:board_text"  # not in every installation
        self._drawn = resolve(board)(state, viewer) if is_installed(board) else str(state)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        coloured = console.color_system is not None
        yield Text.from_ansi(self._drawn) if coloured else Text(without_colours(self._drawn))


@contextlib.contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """Redirects what bots and games print, including from C++, to stderr, to keep stdout for the answer."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def tell_of_damage(skipped: Iterable[str]) -> None:
    """Prints on stderr what was left out of a store, one line each."""
    for what in skipped:
        print(printable(f"left out as damaged: {what}"), file=sys.stderr)


def key_from(given: str) -> str:
    """Returns a key as given or, for "-", the next line of standard input, which no other process can see."""
    conceal()
    if given != "-":
        return given
    if sys.stdin is None:
        raise StarspielError("there is no standard input to read the key from.")
    return getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
