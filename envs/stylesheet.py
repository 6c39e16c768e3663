"""The stylesheet that is embedded in all pages, so that they need no other file."""

import re
from functools import cache
from pathlib import Path

#: The start of the part that is also for stand-alone drawings; it ends at the next comment.
_DRAWINGS = "/* Drawings, also in files of their own. */"


@cache
def stylesheet() -> str:
    """Returns the CSS for elements of the class `starspiel` and their contents."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")


@cache
def drawing_style() -> str:
    """Returns the CSS rules for stand-alone drawings, light and dark.

    Variables are replaced by their colours, because not every viewer supports variables.
    """
    light, dark = (_with(palette) for palette in palettes())
    return f"{light}@media screen and (prefers-color-scheme: dark) {{{dark}}}"


def palettes() -> tuple[dict[str, str], dict[str, str]]:
    """Returns the colours by name, for the light and the dark scheme."""
    light, dark, *_ = stylesheet().split("@media")
    named = [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in (light, dark)]
    return named[0], named[1]


def _with(colours: dict[str, str]) -> str:
    rules = stylesheet().partition(_DRAWINGS)[2].partition("/*")[0]
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], rules).strip()
