"""A searched tree as a page, or as a part of one: every node opens and closes."""

from functools import cache
from typing import TYPE_CHECKING

from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.tree import labels
from starspiel.agents.search.tree.part import Drawn
from starspiel.agents.search.tree.svg import OUTLINES
from starspiel.envs.boards import board_html
from starspiel.envs.text import plain

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # Searches do without.

    return Environment(
        loader=PackageLoader("starspiel.agents.search.tree", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def fragment(top: Drawn, title: str, notes: tuple[str, ...]) -> str:
    """The tree for a notebook or another page: one element with its own style."""
    return (
        _templates()
        .get_template("tree.html")
        .render(
            top=top,
            title=title,
            notes=notes,
            board_html=lambda state: board_html(undrawn(state)),
            labels=labels,
            outlines=OUTLINES,
            plain=plain,
        )
    )


def page(top: Drawn, title: str, notes: tuple[str, ...]) -> str:
    """The tree as a page that needs no other file and no network."""
    tree = fragment(top, title, notes)
    return _templates().get_template("page.html").render(title=title, tree=tree)
