"""The board of a state: as a drawing, as an element of a page, as text."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import pyspiel

from starspiel.envs.base import Game
from starspiel.envs.boards import (
    backgammon,
    breakthrough,
    connect_four,
    einstein_wurfelt_nicht,
    pig,
    twenty_forty_eight,
)
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.gymnasium.picture import picture_of
from starspiel.envs.gymnasium.sampled.game import EnvState
from starspiel.envs.plain import plain
from starspiel.envs.rules import RulesState

#: By OpenSpiel's name of a game: a drawing of its states as `viewer` sees them.
_BOARDS: dict[str, Callable[[Any, int], Drawing | None]] = {
    "2048": twenty_forty_eight.drawing,
    "backgammon": backgammon.drawing,
    "breakthrough": breakthrough.drawing,
    "connect_four": connect_four.drawing,
    "einstein_wurfelt_nicht": einstein_wurfelt_nicht.drawing,
    "pig": pig.drawing,
}
#: The same in text, where the game's own text leaves something out that a player wants.
_TEXTS: dict[str, Callable[[Any, int], str]] = {"backgammon": backgammon.text}
#: Where on these drawings pieces are taken up and put down, and from where to where an action moves some.
_PLACES: dict[str, Callable[[Any, int], dict[str, Area]]] = {
    "backgammon": backgammon.places,
    "breakthrough": breakthrough.places,
    "connect_four": connect_four.places,
    "einstein_wurfelt_nicht": einstein_wurfelt_nicht.places,
}
_STEPS: dict[str, Callable[[Any, int], tuple[tuple[str, str], ...]]] = {
    "backgammon": backgammon.steps,
    "breakthrough": breakthrough.steps,
    "connect_four": connect_four.steps,
    "einstein_wurfelt_nicht": einstein_wurfelt_nicht.steps,
}
#: What players 0 and 1 of a game are called on the board, and where they are going.
SIDES: dict[str, tuple[str, str]] = {
    "backgammon": backgammon.SIDES,
    "breakthrough": breakthrough.SIDES,
    "connect_four": connect_four.SIDES,
    "einstein_wurfelt_nicht": einstein_wurfelt_nicht.SIDES,
}


def board_of(state: Any, viewer: int = 0) -> Drawing | None:
    """The drawing of a state, as the player `viewer` sits at it; None where its game has none."""
    if isinstance(state, RulesState):
        return state.rules.drawing(state.position)
    draw = _BOARDS.get(_openspiel_name(state))
    return None if draw is None else draw(state, viewer)


def board_html(state: Any, viewer: int = 0) -> str:
    """A state as one element of a page: its drawing, or its text."""
    drawing = board_of(state, viewer)
    if drawing is None:
        return f'<pre class="board">{escape(plain(_own_text(state)).rstrip())}</pre>'
    return drawing.svg(" ".join(plain(str(state)).split()))


def board_text(state: Any, viewer: int = 0) -> str:
    """A state for a terminal; it may hold colours."""
    text = _TEXTS.get(_openspiel_name(state))
    return _own_text(state).rstrip() if text is None else text(state, viewer)


def _own_text(state: Any) -> str:
    """The text of a state, below what its environment draws."""
    picture = picture_of(state) if isinstance(state, EnvState) else None
    return str(state) if picture is None else f"{picture}\n{state}"


def places_of(state: Any, viewer: int = 0) -> Mapping[str, Area]:
    """Where on the drawing of a decision pieces are taken up and put down; empty where nothing says so."""
    if isinstance(state, RulesState):
        return state.rules.places(state.position)
    places = _PLACES.get(_openspiel_name(state))
    return {} if places is None else places(state, viewer)


def steps_of(state: Any, action: int) -> Sequence[tuple[str, str]]:
    """The (from, to) places of the pieces that an action moves; from "" where it brings a new one."""
    if isinstance(state, RulesState):
        return state.rules.steps(state.position, action)
    steps = _STEPS.get(_openspiel_name(state))
    return () if steps is None else steps(state, action)


def side_of(game: Game, player: int) -> str:
    """What a player is called on the board, and where they are going; "" where there is nothing to say."""
    sides = SIDES.get(game.name.partition("(")[0])
    return "" if sides is None else sides[player]


def _openspiel_name(state: Any) -> str:
    """OpenSpiel's name of a state's game; "" of what is none of its states."""
    return str(state.get_game().get_type().short_name) if isinstance(state, pyspiel.State) else ""
