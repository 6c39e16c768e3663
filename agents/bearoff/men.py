"""Reads the places of the men from a state of OpenSpiel's backgammon."""

from collections.abc import Iterator
from typing import Any

from starspiel.agents.bearoff.positions import POINTS

#: Numbers of men by their distance to go: [0] borne off, [25] on the bar.
Men = list[int]


def outside(state: Any, player: int) -> Iterator[tuple[int, int]]:
    """Yields (men, distance) for a player's points outside the home board, farthest first; not the bar."""
    for distance in range(24, POINTS, -1):
        men = state.board(player, 24 - distance if player == 0 else distance - 1)
        if men:
            yield men, distance


def sides(state: Any, player: int) -> tuple[Men, Men]:
    """Returns the men of a player, and those of the other player."""
    observed = state.observation_tensor(0)

    def men_of(side: int) -> Men:
        men = [0] * 26
        for point in range(24):
            men[24 - point if side == 0 else point + 1] = state.board(side, point)
        men[25], men[0] = map(int, observed[192 + 3 * side : 194 + 3 * side])
        return men

    return men_of(player), men_of(1 - player)
