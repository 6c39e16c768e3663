"""Writes positions in the format of FIBS, the First Internet Backgammon Server, for GNU Backgammon."""

from starspiel.envs.gnubg.position import MEN, Side

#: The match length that stands for an unlimited match, in which gammons count.
_ENDLESS = 9999


def board_line(own: Side, other: Side, dice: tuple[int, ...], most: int) -> str:
    """Returns the position as a FIBS line.

    Args:
        own: the checkers of the player to move, or to throw if there are no dice.
        other: the checkers of the opponent.
        dice: the dice thrown; () if nothing yet.
        most: the maximum points of a win. 1 means the last game of a match, more a money session.
    """
    points = [0] * 26
    for place, men in enumerate(own):
        points[place + 1] += men
    for place, men in enumerate(other):
        points[24 - place] -= men
    length = 1 if most == 1 else _ENDLESS
    off = MEN - sum(own), MEN - sum(other)
    fields: list[int | str] = [
        *("board", "own", "other", length, 0, 0),
        *points,
        *(1, *(dice or (0, 0)), 0, 0),  # whose turn; both players' dice
        *(1, 1, 1, 0),  # the cube, who may double, and whether somebody has
        *(1, -1, 0, 25),  # own checkers are positive and go from the bar at 25 to 0
        *off,
        *(own[-1], other[-1], 0, 0, 0, 0),
    ]
    return ":".join(map(str, fields))
