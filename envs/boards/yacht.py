"""Draws OpenSpiel's yacht: the dice, and the score sheet of every player."""

import re
from typing import Any

from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.plays import yacht as moves
from starspiel.envs.raster import FAINT, GOLD, INK, PLAYERS, WHITE, WOOD, mixed

_CATEGORIES = {
    **{name: f"{name}" for name in ("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes")},
    **{"Chance": "Chance", "4Kind": "Four of a Kind", "Full": "Full House"},
    **{"SmStr": "Small Straight", "LgStr": "Large Straight", "Yacht": "Yacht"},
}
_SHEET = re.compile(r"Player (\d+) \(total: (\d+)\):\n((?:  .*\n?)*)")
_TURN = re.compile(r"Turn player: (\d+)")
_DIE, _LEFT, _TOP, _ROW, _NAMES, _COLUMN = 56.0, 24.0, 110.0, 27.0, 210.0, 96.0
_ROLL, _SCORE = "roll the others", "score"
HANDS = "Click the dice that you hold, then roll; keep all of them to score, and click a row of the sheet."


def drawing(state: Any, viewer: int) -> Drawing:
    sheets = [(int(total), _entries(lines)) for _, total, lines in _SHEET.findall(str(state))]
    width = 2 * _LEFT + max(_NAMES + _COLUMN * len(sheets), 5 * 72 + 132)
    board = Drawing(int(width), int(_TOP + _ROW * (len(_CATEGORIES) + 2) + 20))
    turn, faces = int(_TURN.findall(str(state))[0]), moves.dice(state)
    for place, area in places(state, viewer).items():
        if place.startswith("die") and faces:
            board.die(area[0], area[1], _DIE, faces[int(place.split()[1]) - 1], mixed(WHITE, GOLD, 0.15))
    for name, (x, y, w, h) in _buttons(len(faces)).items() if state.current_player() >= 0 else ():
        offered = {end for action in state.legal_actions() for _, end in steps(state, action)}
        if name in offered:
            board.box(x, y, w, h, mixed(WOOD, PLAYERS[turn % len(PLAYERS)], 0.15), 8, edge=INK)
            board.text("roll" if name == _ROLL else "keep", x + w / 2, y + h / 2, INK, 2, centred=True)
    for player, (total, entries) in enumerate(sheets):
        x, colour = _LEFT + _NAMES + _COLUMN * player, PLAYERS[player % len(PLAYERS)]
        board.text(f"player {player}", x + _COLUMN / 2, _TOP - 8, colour, 2, centred=True)
        if player == turn and not state.is_terminal():
            board.box(x + 4, _TOP + 3, _COLUMN - 8, 3, colour)
        for row, name in enumerate((*_CATEGORIES, "total")):
            y = _TOP + _ROW * row + 10
            board.box(x + 2, y, _COLUMN - 4, _ROW - 3, WOOD if name == "total" else WHITE, 4)
            shown = str(total) if name == "total" else entries.get(name, "")
            board.text(shown, x + _COLUMN / 2, y + _ROW / 2 - 1, INK, 2, centred=True)
        scored = ", ".join(f"{_CATEGORIES[name]} {points}" for name, points in entries.items())
        board.say(f"Player {player} has {total} points{f': {scored}' if scored else ''}.")
    for row, name in enumerate((*_CATEGORIES.values(), "total")):
        board.line(_LEFT, _TOP + _ROW * row + 8, _LEFT + _NAMES - 8, _TOP + _ROW * row + 8, FAINT, 1)
        board.text(name, _LEFT, _TOP + _ROW * row + 15, INK, 2)
    board.say(
        f"Player {turn} to move, dice {' '.join(map(str, faces))}." if state.current_player() >= 0 else ""
    )
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the dice, the buttons, and the mover's column of the score sheet."""
    count, turn = len(moves.dice(state)), int(_TURN.findall(str(state))[0])
    found = {f"die {n + 1}": (_LEFT + 72 * n, 20.0, _DIE, _DIE) for n in range(count)}
    x = _LEFT + _NAMES + _COLUMN * turn
    names = _CATEGORIES.values()
    rows = {n: (x, _TOP + _ROW * row + 10, _COLUMN, _ROW - 3) for row, n in enumerate(names)}
    return {**found, **_buttons(count), **rows}


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns a step for each held die and one for the button; or one for the category that is scored."""
    name = str(state.action_to_string(state.current_player(), action))
    if name.startswith("Score in "):
        return (("", name.removeprefix("Score in ")),)
    again = moves.places(state, action)
    if not again:
        return (("", _SCORE),)
    held = [n + 1 for n in range(len(moves.dice(state))) if n + 1 not in again]
    return (*(("", f"die {n}") for n in held), ("", _ROLL))


def ways(state: Any, action: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Returns the ways to make a move: all dice are kept by the button alone, or by holding them first."""
    made = steps(state, action)
    held = tuple(("", f"die {n + 1}") for n in range(len(moves.dice(state))))
    return (made, (*held, *made)) if made == (("", _SCORE),) else (made,)


def _buttons(dice: int) -> dict[str, Area]:
    x = _LEFT + 72 * dice + 4
    return {_ROLL: (x, 14.0, 110.0, 32.0), _SCORE: (x, 52.0, 110.0, 32.0)}


def _entries(lines: str) -> dict[str, str]:
    return dict(line.strip().split(": ", 1) for line in lines.splitlines() if ":" in line)
