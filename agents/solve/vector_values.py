"""Values of games for more than two players, or without a constant sum of two: max^n by vectors.

Each player maximises their own return. Of actions that are worth the same to the player, the first in the
game's order is chosen: by that rule a game without cycles has one value. In one with cycles, what sweeps
settle at is one equilibrium whose choices depend on the position alone; there may be others, or none.
"""

from collections.abc import Iterator

import numpy as np

from starspiel.agents.solve.levels import Floats, Level, Places
from starspiel.agents.solve.times import TIE_TOLERANCE


class VectorBackup:
    """What the values of a level's positions are, (positions, players), by those of their successors."""

    remedy = (
        "More than two players need not have a best play that depends on the position alone; a game without "
        "cycles, as one with a horizon below 100, has one."
    )

    def __init__(self, level: Level) -> None:
        weight = level.graph.weight[level.chance_edges]
        self._chances, self._matrix = level.chances, level.expectation(weight)
        self._decisions = []
        for player in range(level.graph.ending.shape[1]):
            nodes, columns = level.decisions(level.player == player)
            moves = [level.targets(edges) for edges in columns]
            self._decisions.append((player, level.places(nodes), moves))

    def _parts(self, values: Floats) -> Iterator[tuple[Places, Floats]]:
        """(places, their values): of chance nodes, then, by what `values` are then, of each player."""
        yield self._chances, self._matrix @ values
        tie = TIE_TOLERANCE * max(1.0, float(np.abs(values).max(initial=0.0)))
        for player, places, moves in self._decisions:
            found = np.empty((0, values.shape[1]))
            for n, target in enumerate(moves):
                worth = values[target]
                if n == 0:
                    found = worth
                    continue
                better = worth[:, player] > found[: len(worth), player] + tie
                found[: len(worth)][better] = worth[better]
            yield places, found

    def sweep(self, values: Floats) -> None:
        """Backs every position up in place."""
        for places, found in self._parts(values):
            values[places] = found

    def error(self, values: Floats) -> float:
        """By how much a value at most differs from what its successors' values make it."""
        return max(
            float(np.abs(found - values[places]).max(initial=0.0)) for places, found in self._parts(values)
        )
