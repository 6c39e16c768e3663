"""The board of a state: as a drawing, as an element of a page, as text."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

import pyspiel

from starspiel.envs.base import Game
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.gymnasium.picture import picture_of
from starspiel.envs.gymnasium.sampled.states import EnvState
from starspiel.envs.kits import BY_NAME
from starspiel.envs.plain import plain
from starspiel.envs.rules import RulesState


def board_of(state: Any, viewer: int = 0) -> Drawing | None:
    """The drawing of a state, as the player `viewer` sits at it; None where its game has none."""
    if isinstance(state, RulesState):
        return state.rules.drawing(state.position)
    draw = _of_kit(state, "drawing")
    return None if draw is None else draw(state, viewer)


def board_html(state: Any, viewer: int = 0) -> str:
    """A state as one element of a page: its drawing, or its text."""
    drawing = board_of(state, viewer)
    if drawing is None:
        return f'<pre class="board">{escape(plain(_own_text(state)).rstrip())}</pre>'
    return drawing.svg(" ".join(plain(str(state)).split()))


def board_text(state: Any, viewer: int = 0) -> str:
    """A state for a terminal; it may hold colours."""
    text = _of_kit(state, "text")
    return _own_text(state).rstrip() if text is None else text(state, viewer)


def _own_text(state: Any) -> str:
    """The text of a state, below what its environment draws."""
    picture = picture_of(state) if isinstance(state, EnvState) else None
    return str(state) if picture is None else f"{picture}\n{state}"


def places_of(state: Any, viewer: int = 0) -> Mapping[str, Area]:
    """Where on the drawing of a decision pieces are taken up and put down; empty where nothing says so."""
    if isinstance(state, RulesState):
        return state.rules.places(state.position)
    places = _of_kit(state, "places")
    return {} if places is None else places(state, viewer)


def steps_of(state: Any, action: int) -> Sequence[tuple[str, str]]:
    """The (from, to) places of the pieces that an action moves; from "" where it brings a new one."""
    if isinstance(state, RulesState):
        return state.rules.steps(state.position, action)
    steps = _of_kit(state, "steps")
    return () if steps is None else steps(state, action)


def side_of(game: Game, player: int) -> str:
    """What a player is called on the board, and where they are going; "" where there is nothing to say."""
    sides = _of_board(game.name.partition("(")[0], "SIDES")
    return "" if sides is None else sides[player]


def _of_kit(state: Any, name: str) -> Callable[..., Any] | None:
    """A function of the board of an OpenSpiel state's game; None if the board does not have it."""
    game = str(state.get_game().get_type().short_name) if isinstance(state, pyspiel.State) else ""
    function: Callable[..., Any] | None = _of_board(game, name)
    return function


def _of_board(game: str, name: str) -> Any:
    kit = BY_NAME.get(game)
    return getattr(import_module(kit.board), name, None) if kit is not None and kit.board else None
