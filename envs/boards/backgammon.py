"""Draws OpenSpiel's backgammon from the viewer's side, whose home board is at the lower right."""

from dataclasses import dataclass
from typing import Any

import pyspiel

from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.plays.backgammon import BAR, OFF, hops_of
from starspiel.envs.raster import FAINT, GOLD, INK, PAPER, PLAYERS, WHITE, WOOD, mixed

SIDES = (
    "x, the red checkers: from the 24 point down to the 1 point, and off",
    "o, the blue checkers: from the 24 point down to the 1 point, and off",
)
_POINTS, _BAR = 24, 100  # OpenSpiel's number of the bar
_CELL, _LEFT, _TOP, _RADIUS, _TALL = 42, 14, 30, 19, 178
_MOST = 5  # checkers on a point before they are counted


@dataclass(frozen=True)
class Checkers:
    """One player's checkers, with points numbered from that player's side: `points[0]` is the 1 point."""

    points: tuple[int, ...]
    bar: int
    off: int


def checkers(state: Any, player: int) -> Checkers:
    """Returns a player's checkers. OpenSpiel numbers the points from player 1's side, starting at 0."""
    board = [state.board(player, point) for point in range(_POINTS)]
    bar = state.board(player, _BAR)
    whole = 3 if state.get_game().get_parameters().get("hyper_backgammon") else 15
    points = tuple(reversed(board)) if player == 0 else tuple(board)
    return Checkers(points, bar, whole - sum(board) - bar)


def dice(state: Any) -> tuple[int, ...]:
    """Returns the mover's dice; () at a chance node or after the end."""
    if state.current_player() < 0:
        return ()
    # OpenSpiel adds 6 to a die that has already been used in this turn.
    return tuple((int(face) - 1) % 6 + 1 for face in state.observation_tensor(0)[-2:] if face > 0)


def drawing(state: Any, viewer: int) -> Drawing:
    """Draws a state, with points numbered from the side of the mover or, at a throw, of the last mover."""
    counting, bottom = _counting(state, viewer), _TOP + 2 * _TALL + 40
    board = Drawing(2 * _LEFT + 14 * _CELL, bottom + _TOP)
    board.box(_LEFT - 6, _TOP - 6, 13 * _CELL + 12, bottom - _TOP + 12, WOOD, 8, edge=INK)
    board.box(_LEFT + 6 * _CELL, _TOP - 4, _CELL, bottom - _TOP + 8, mixed(WOOD, INK, 0.25))
    for number in range(1, _POINTS + 1):
        x, upper = _place(number)
        edge, tip = (_TOP, _TOP + _TALL) if upper else (bottom, bottom - _TALL)
        colour = mixed(WOOD, GOLD, 0.55) if number % 2 else mixed(FAINT, INK, 0.2)
        board.polygon(((x - _CELL / 2 + 1, edge), (x + _CELL / 2 - 1, edge), (x, tip)), colour)
        shown = number if counting == viewer else _POINTS + 1 - number
        board.text(str(shown), x, edge + (-17 if upper else 17), INK, 1, centred=True)
    for player in (viewer, 1 - viewer):
        own = checkers(state, player)
        for point, count in enumerate(own.points, 1):
            x, upper = _place(point if player == viewer else _POINTS + 1 - point)
            _stack(board, x, upper, bottom, count, player)
        upper = player == viewer  # a hit checker enters on the other side of the board
        _stack(board, _LEFT + 6.5 * _CELL, upper, bottom, own.bar, player)
        x = _LEFT + 13 * _CELL + 10
        for index in range(own.off):
            y = _TOP + index * 11 if player != viewer else bottom - 9 - index * 11
            board.box(x, y, 26, 9, PLAYERS[player], 3)
        board.say(_told(own, "xo"[player]))
    _middle(board, state, _TOP + _TALL + 20)
    return board


def _counting(state: Any, viewer: int) -> int:
    """Returns the player from whose side the points are numbered."""
    if state.current_player() >= 0:
        return int(state.current_player())
    return next((event.player for event in reversed(state.full_history()) if event.player >= 0), viewer)


def _told(own: Checkers, sign: str) -> str:
    """Returns a player's checkers in words, with points numbered from that player's side."""
    stacks = [f"{count} on {point}" for point, count in enumerate(own.points, 1) if count][::-1]
    stacks += [f"{count} {where}" for count, where in ((own.bar, "on the bar"), (own.off, "off")) if count]
    return f"{sign} has {', '.join(stacks)}."


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the points, numbered from the mover's side, the bar, and where checkers are borne off."""
    own = state.current_player() == viewer
    bottom = _TOP + 2 * _TALL + 40
    found: dict[str, Area] = {}
    for number in range(1, _POINTS + 1):
        x, upper = _place(number if own else _POINTS + 1 - number)
        found[str(number)] = (x - _CELL / 2, _TOP if upper else bottom - _TALL, _CELL, _TALL)
    found[_named(BAR)] = (_LEFT + 6 * _CELL, _TOP if own else bottom - _TALL, _CELL, _TALL)
    found[_named(OFF)] = (_LEFT + 13 * _CELL + 4, bottom - _TALL if own else _TOP, 38, _TALL)
    return found


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the steps of an action, as (from, to) places."""
    return tuple((_named(here), _named(there)) for here, there, _ in hops_of(state, action))


def _named(point: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


def _place(number: int) -> tuple[float, bool]:
    """Returns the middle of a point, numbered from the viewer's side, and whether it is at the top."""
    upper = number > 12
    column = number - 13 if upper else 12 - number
    column += column >= 6  # the bar
    return _LEFT + (column + 0.5) * _CELL, upper


def _stack(board: Drawing, x: float, upper: bool, bottom: int, count: int, player: int) -> None:
    for index in range(min(count, _MOST)):
        away = _RADIUS + 2 * _RADIUS * index * 0.92
        y = _TOP + away if upper else bottom - away
        board.disc(x, y, _RADIUS - 1, PLAYERS[player], edge=mixed(PLAYERS[player], INK, 0.5))
        if index == _MOST - 1 and count > _MOST:
            board.text(str(count), x, y, WHITE, 2, centred=True)


def _middle(board: Drawing, state: Any, y: float) -> None:
    """Draws the dice of the player to move, or who has won."""
    player = state.current_player()
    if state.is_terminal():
        result = state.returns()[0]
        said = "a draw" if result == 0 else f"{'xo'[result < 0]} wins {abs(result):g}"
        board.text(said, _LEFT + 3 * _CELL, y, INK, 3, centred=True)
        board.say(f"{said}.")
    elif player >= 0:
        x = _LEFT + (9 if player == 0 else 2) * _CELL
        for index, face in enumerate(dice(state)):
            board.die(x + index * 46, y - 18, 36, face, mixed(PAPER, PLAYERS[player], 0.2))
        board.say(f"{'xo'[player]} to move, dice {' '.join(map(str, dice(state)))}.")
    else:
        x = _LEFT + (9 if _counting(state, 1) == 0 else 2) * _CELL
        board.tray = (x, y - 18, 36)


def text(state: Any, viewer: int) -> str:
    """Returns the board as text: x is player 0, o is player 1."""
    counting = _counting(state, viewer)
    own, other = checkers(state, viewer), checkers(state, 1 - viewer)
    signs = ("x", "o") if viewer == 0 else ("o", "x")

    def cell(number: int) -> str:
        for count, sign in (
            (own.points[number - 1], signs[0]),
            (other.points[_POINTS - number], signs[1]),
        ):
            if count:
                return f"{sign}{count:<2}"
        return "·  "

    def row(numbers: list[int], middle: str) -> str:
        return "  ".join(map(cell, numbers[:6])) + f"| {middle:<4}| " + "  ".join(map(cell, numbers[6:]))

    def count(sign: str, number: int) -> str:
        return f"{sign}{number}" if number else ""

    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    lines = [
        _numbers(upper, counting == viewer),
        row(upper, count(signs[0], own.bar)) + f"   off {signs[1]}{other.off}",
        row(lower, count(signs[1], other.bar)) + f"   off {signs[0]}{own.off}",
        _numbers(lower, counting == viewer),
    ]
    player = state.current_player()
    if state.is_terminal():
        lines.append("the game is over")
    elif player == pyspiel.PlayerId.CHANCE:
        lines.append("the dice are thrown")
    else:
        lines.append(f"{'xo'[player]} to move, dice {' '.join(map(str, dice(state)))}")
    return "\n".join(lines)


def _numbers(numbers: list[int], own: bool) -> str:
    numbers = numbers if own else [_POINTS + 1 - number for number in numbers]
    left, right = ("  ".join(f"{number:<3}" for number in half) for half in (numbers[:6], numbers[6:]))
    return f"{left}| bar | {right}".rstrip()
