"""The one stylesheet of all pages, which they carry along: they need no other file."""

from functools import cache
from pathlib import Path


@cache
def stylesheet() -> str:
    """The CSS, for elements of the class `starspiel` and what is in them."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")
