"""Renders a searched tree as an HTML page or fragment whose nodes open and close."""

from pathlib import Path
from typing import NamedTuple

from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.tree import labels
from starspiel.agents.search.tree.part import Drawn
from starspiel.agents.search.tree.svg import OUTLINES
from starspiel.envs.boards import board_html
from starspiel.envs.outlook import Outlook
from starspiel.envs.template import filled
from starspiel.envs.text import plain

_FOLDER = Path(__file__).parent


class Answer(NamedTuple):
    """The head of a tree's page: the best move, the position's value and the other moves."""

    game: str
    title: str
    best: str
    worth: str
    others: tuple[str, ...]


def fragment(top: Drawn, told: Outlook, answer: Answer, notes: tuple[str, ...]) -> str:
    """Returns the tree for a notebook or another page: one element with its own style."""
    return filled(
        _FOLDER / "tree.html",
        top=top,
        answer=answer,
        told=told,
        notes=notes,
        board_html=lambda state: board_html(undrawn(state)),
        labels=labels,
        outlines=OUTLINES,
        plain=plain,
    )


def page(top: Drawn, title: str, told: Outlook, answer: Answer, notes: tuple[str, ...]) -> str:
    """Returns the tree as a page that needs no other file and no network."""
    return filled(_FOLDER / "page.html", title=title, tree=fragment(top, told, answer, notes))
