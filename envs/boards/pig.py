"""Draws Pig, both the shipped game and OpenSpiel's: scores and the points of the turn, up to the goal."""

import re
from typing import Any

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.drawing import Drawing
from starspiel.envs.raster import GOLD, INK, PLAYERS, WOOD
from starspiel.envs.rules import RulesState

_NUMBERS = re.compile(r"Scores: ([\d ]+), Turn total: (\d+)\s+Current player: (-?\d+)")


def drawing(state: Any, viewer: int) -> Drawing | None:
    if isinstance(state, RulesState):
        rules: Any = state.rules
        at: Any = state.position
        return _drawn(at.scores, at.turn_total, at.turn_player, at.acting, rules.goal)
    found = _NUMBERS.search(str(state))
    if found is None:
        return None
    scores, total, mover = tuple(map(int, found[1].split())), int(found[2]), int(found[3])
    acting = CHANCE if state.is_chance_node() else mover
    if state.is_terminal():
        mover, acting = state.returns().index(max(state.returns())), TERMINAL
    return _drawn(scores, total, mover, acting, state.get_game().get_parameters()["winscore"])


def _drawn(scores: tuple[int, ...], total: int, turn_player: int, acting: int, goal: int) -> Drawing:
    left, track = 30, 540
    board = Drawing(track + 2 * left, 100 + 110 * len(scores))
    for player, score in enumerate(scores):
        y, colour = 30 + player * 110, PLAYERS[player % len(PLAYERS)]
        moving = player == turn_player and acting != TERMINAL
        at_stake = total if moving else 0
        board.say(f"Player {player} has {score} of {goal}{f', and {at_stake} at stake' if moving else ''}.")
        full = min(score / goal, 1) * track
        staked = min((score + at_stake) / goal, 1) * track
        board.text(f"player {player}", left + 26, y, colour, 2)
        board.text(str(score), left + 160, y - 7, colour, 4)
        if moving:
            board.disc(left + 8, y + 7, 8, colour)
            said = f"+{at_stake}, rolls" if acting == CHANCE else f"+{at_stake}"
            board.text(said, left + 270, y - 7, INK, 4)
        elif acting == TERMINAL and player == turn_player:
            board.text("wins", left + 270, y - 7, INK, 4)
            board.say(f"Player {player} wins.")
        board.box(left, y + 34, track, 34, WOOD, 10)
        for width, fill in ((staked, GOLD), (full, colour)):
            if width >= 1:
                board.box(left, y + 34, width, 34, fill, min(10, width / 2))
    board.tray = (left, 32 + 110 * len(scores), 48)
    return board
