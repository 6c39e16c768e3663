"""How commands print: tables for people, one JSON object for programs."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from starspiel.envs.colours import without_colours

#: Columns of what is printed into a pipe or a file.
_WIDTH_OF_FILES = 160


def show(renderable: RenderableType) -> None:
    """Prints for people on stdout: as wide as the terminal, as COLUMNS says, or wide enough for every table.

    What looks like markup or an emoji's name is printed as it is: it is part of someone's name.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console.width = _WIDTH_OF_FILES
    console.print(renderable)


class Board:
    """A state drawn: in its own colours on a terminal, with brackets around what is coloured elsewhere."""

    def __init__(self, state: Any) -> None:
        self._drawn = str(state).rstrip()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if console.color_system is not None:
            yield Text.from_ansi(self._drawn)
        else:
            yield Text(without_colours(self._drawn))


@contextlib.contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """Sends what bots and games print, in C++ as well, to stderr: stdout is for the answer."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def show_json(answer: dict[str, Any]) -> None:
    """Prints one JSON object on stdout."""
    json.dump(answer, sys.stdout, allow_nan=False)
    sys.stdout.write("\n")
