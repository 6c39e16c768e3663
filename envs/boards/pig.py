"""Pig, the game that ships and OpenSpiel's: scores, and the points of the turn, on the way to the goal."""

import re
from typing import Any

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.drawing import Drawing
from starspiel.envs.games.pig import PigPosition
from starspiel.envs.raster import GOLD, INK, PLAYERS, WOOD
from starspiel.envs.rules import RulesState

_NUMBERS = re.compile(r"Scores: (\d+) (\d+), Turn total: (\d+)\s+Current player: (-?\d+)")


def drawing(state: Any, viewer: int) -> Drawing | None:
    """None for OpenSpiel's pig with more or fewer than two players."""
    if isinstance(state, RulesState):
        rules: Any = state.rules
        return _drawn(state.position, rules.goal)
    found = _NUMBERS.search(str(state))
    if found is None:
        return None
    scores, total, mover = (int(found[1]), int(found[2])), int(found[3]), int(found[4])
    acting = CHANCE if state.is_chance_node() else mover
    if state.is_terminal():
        mover, acting = (0 if state.returns()[0] > 0 else 1), TERMINAL
    return _drawn(PigPosition(scores, total, mover, acting), state.get_game().get_parameters()["winscore"])


def _drawn(position: PigPosition, goal: int) -> Drawing:
    left, track = 30, 540
    board = Drawing(track + 2 * left, 320)
    for player, score in enumerate(position.scores):
        y, colour = 30 + player * 110, PLAYERS[player]
        moving = player == position.turn_player and position.acting != TERMINAL
        at_stake = position.turn_total if moving else 0
        board.say(f"Player {player} has {score} of {goal}{f', and {at_stake} at stake' if moving else ''}.")
        full = min(score / goal, 1) * track
        staked = min((score + at_stake) / goal, 1) * track
        board.text(f"player {player}", left + 26, y, colour, 2)
        board.text(str(score), left + 160, y - 7, colour, 4)
        if moving:
            board.disc(left + 8, y + 7, 8, colour)
            said = f"+{at_stake}, rolls" if position.acting == CHANCE else f"+{at_stake}"
            board.text(said, left + 270, y - 7, INK, 4)
        elif position.acting == TERMINAL and player == position.turn_player:
            board.text("wins", left + 270, y - 7, INK, 4)
            board.say(f"Player {player} wins.")
        board.box(left, y + 34, track, 34, WOOD, 10)
        for width, fill in ((staked, GOLD), (full, colour)):
            if width >= 1:
                board.box(left, y + 34, width, 34, fill, min(10, width / 2))
    board.tray = (left, 252, 48)
    return board
