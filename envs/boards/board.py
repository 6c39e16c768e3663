"""Shows the board of a state: as a drawing, as an element of a page, as text, or as pixels."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, Game
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.gymnasium.picture import picture_of
from starspiel.envs.gymnasium.sampled.states import EnvState
from starspiel.envs.inside import unwrapped, unwrapped_state
from starspiel.envs.kits import BY_NAME, GameKit, kit_of_rules
from starspiel.envs.plays import name_of
from starspiel.envs.plays.words import faces
from starspiel.envs.raster import INK, PLAYERS, mixed, text_picture
from starspiel.envs.rules import RulesState
from starspiel.envs.text import plain

Point = tuple[float, float]


def board_of(state: Any, viewer: int = 0) -> Drawing | None:
    """Returns the drawing of a state, from the side of player `viewer`; None if its game has none."""
    drawn: Drawing | None = _asked("drawing", state, viewer)
    return drawn


def board_html(state: Any, viewer: int = 0, trail: Sequence[tuple[Any, int]] = ()) -> str:
    """Returns a state as one element of a page: its drawing, or its text.

    `trail` holds the events that led to the state, each a state and the action or outcome there, the latest
    at the end. Arrows mark the last move, and the last dice are drawn if the board has room for them.
    """
    drawing = board_of(state, viewer)
    if drawing is None:
        return f'<pre class="board">{escape(plain(_own_text(state)).rstrip())}</pre>'
    if drawing.tray is not None:
        x, y, size = drawing.tray
        for index, face in enumerate(last_throw(trail)):
            drawing.die(x + 1.2 * size * index, y, size, face)
    for player, start, end in last_moves(trail, viewer):
        drawing.arrow(*start, *end, mixed(PLAYERS[player % len(PLAYERS)], INK, 0.35))
    return drawing.svg(" ".join(plain(str(state)).split()))


def last_throw(trail: Sequence[tuple[Any, int]]) -> tuple[int, ...]:
    """Returns the faces of the dice that were thrown last; () if there is no throw in the trail."""
    for state, outcome in reversed(trail):
        if state.is_chance_node() and (shown := faces(name_of(state, CHANCE, outcome))):
            return shown
    return ()


def last_moves(trail: Sequence[tuple[Any, int]], viewer: int) -> list[tuple[int, Point, Point]]:
    """Returns the mover, start and end, in the drawing, of each step of the last move.

    The last move may be two actions.
    """
    moves: list[tuple[int, Point, Point]] = []
    for state, action in reversed(trail):
        mover = state.current_player()
        if mover < 0 and not moves:
            continue  # a throw after the last move
        if mover < 0 or (moves and moves[0][0] != mover):
            break
        places = places_of(state, viewer)
        moves[:0] = [
            (mover, _middle(places[start]), _middle(places[end]))
            for start, end in steps_of(state, action)
            if start in places and end in places
        ]
        if not moves:
            break
    return moves


def _middle(area: Area) -> Point:
    x, y, width, height = area
    return x + width / 2, y + height / 2


def board_text(state: Any, viewer: int = 0) -> str:
    """Returns a state as text for a terminal; it may contain colours."""
    text: str | None = _asked("text", state, viewer)
    return _own_text(state).rstrip() if text is None else text


def board_pixels(state: Any, columns: int = 80, rows: int = 24) -> NDArray[np.uint8]:
    """Returns a state as an image, height x width x 3, of one size per game: its drawing, or its text."""
    drawing = board_of(state) if isinstance(state, RulesState) else None
    return text_picture(str(state), columns, rows) if drawing is None else drawing.pixels


def places_of(state: Any, viewer: int = 0) -> Mapping[str, Area]:
    """Returns the areas of a decision's drawing at which pieces are picked up and put down."""
    return _asked("places", state, viewer) or {}


def steps_of(state: Any, action: int) -> Sequence[tuple[str, str]]:
    """Returns the (from, to) places of the pieces that an action moves; "" is the start of a new piece."""
    return _asked("steps", state, action) or ()


def side_of(game: Game, player: int) -> str:
    """Returns what a player is called on the board, and which way they go; "" if there is nothing to say."""
    sides = _of_board(_kit_of(game), "SIDES")
    return sides[player] if sides else ""


def ways_of(state: Any, action: int) -> Sequence[Sequence[tuple[str, str]]]:
    """Returns the ways to make an action by hand, each as its steps; one way in most games."""
    return _asked("ways", state, action) or (steps_of(state, action),)


def hands_of(game: Game) -> str:
    """Returns how to make moves by hand on the board; "" if there is nothing to say."""
    return str(_of_board(_kit_of(game), "HANDS") or "")


def _own_text(state: Any) -> str:
    """Returns the text of a state, below its environment's drawing if there is one."""
    picture = picture_of(state) if isinstance(state, EnvState) else None
    return str(state) if picture is None else f"{picture}\n{state}"


def _asked(what: str, state: Any, argument: int) -> Any:
    """Returns the answer of the rules or else of the board of the state's game; None if neither has one."""
    kit = None
    if isinstance(state, RulesState):
        about = (state.position, argument) if what == "steps" else (state.position,)
        if what not in ("text", "ways") and (own := getattr(state.rules, what)(*about)):
            return own
        kit = next(filter(None, map(kit_of_rules, type(state.rules).__mro__)), None)
    elif isinstance(state, pyspiel.State):
        state = unwrapped_state(state)
        kit = BY_NAME.get(state.get_game().get_type().short_name)
    answer = _of_board(kit, what)
    return None if answer is None else answer(state, argument)


def _kit_of(game: Game) -> GameKit | None:
    """Returns the kit of the game, or of the game inside a wrapper."""
    held = getattr(game, "pyspiel_game", None)
    return BY_NAME.get(unwrapped(held).get_type().short_name if held else game.name.partition("(")[0])


def _of_board(kit: GameKit | None, name: str) -> Any:
    return getattr(import_module(kit.board), name, None) if kit is not None and kit.board else None
