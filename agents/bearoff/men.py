"""Where the men of a state of OpenSpiel's backgammon are."""

from typing import Any

#: Men by their distance to go: [0] borne off, [25] on the bar.
Men = list[int]


def sides(state: Any, player: int) -> tuple[Men, Men]:
    """(own, other) of a player."""
    observed = state.observation_tensor(0)

    def men_of(side: int) -> Men:
        men = [0] * 26
        for point in range(24):
            men[24 - point if side == 0 else point + 1] = state.board(side, point)
        men[25], men[0] = map(int, observed[192 + 3 * side : 194 + 3 * side])
        return men

    return men_of(player), men_of(1 - player)
