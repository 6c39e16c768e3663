"""How commands print: tables for people, one JSON object for programs."""

import json
import sys
from typing import Any

from rich.console import Console, RenderableType


def show(renderable: RenderableType) -> None:
    """Prints for people on stdout; as wide as the terminal, and never cut where there is none."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=max(console.width, 160))
    console.print(renderable)


def show_json(answer: dict[str, Any]) -> None:
    """Prints one JSON object on stdout."""
    json.dump(answer, sys.stdout, allow_nan=False)
    sys.stdout.write("\n")
