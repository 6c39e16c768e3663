"""The one stylesheet of all pages, which they carry along: they need no other file."""

import re
from functools import cache
from pathlib import Path

#: Where the part begins that is also for drawings in files of their own; it ends with the next comment.
_DRAWINGS = "/* Drawings, also in files of their own. */"


@cache
def stylesheet() -> str:
    """The CSS, for elements of the class `starspiel` and what is in them."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")


@cache
def drawing_style() -> str:
    """The rules of drawings with the colours put in, light and dark: not every viewer knows variables."""
    light, dark = (_with(palette) for palette in palettes())
    return f"{light}@media screen and (prefers-color-scheme: dark) {{{dark}}}"


def palettes() -> tuple[dict[str, str], dict[str, str]]:
    """The colours by name, light and dark."""
    light, dark, *_ = stylesheet().split("@media")
    named = [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in (light, dark)]
    return named[0], named[1]


def _with(colours: dict[str, str]) -> str:
    rules = stylesheet().partition(_DRAWINGS)[2].partition("/*")[0]
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], rules).strip()
