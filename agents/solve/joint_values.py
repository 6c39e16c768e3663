"""Positions of a level in which both players move at once: matrix games over their successors' values."""

import numpy as np

from starspiel.agents.matrix_game import MatrixSolution, solve_matrix_game
from starspiel.agents.solve.levels import Floats, Level, Places
from starspiel.envs.base import SIMULTANEOUS


class JointBackup:
    """The values of these positions by those of their successors.

    Attributes:
        places: where the positions are among those that the level touches.
    """

    def __init__(self, level: Level) -> None:
        nodes = level.nodes[level.player == SIMULTANEOUS]
        self.places: Places = level.places(nodes)
        graph = level.graph
        self._edges = [np.arange(graph.first[node], graph.first[node + 1]) for node in nodes]
        self._targets = [level.targets(edges) for edges in self._edges]
        self._columns = [int(graph.columns[node]) for node in nodes]
        self._graph = graph
        self._solutions: list[MatrixSolution | None] = [None] * len(nodes)

    def found(self, values: Floats) -> Floats:
        """The positions' values; `values` are those of all that the level touches."""
        found = np.empty(len(self._targets))
        for i, (edges, target) in enumerate(zip(self._edges, self._targets, strict=True)):
            worth = values[target]
            if self._graph.is_paid:
                worth = self._graph.reward[edges] + self._graph.ratio[edges] * worth
            # From one sweep to the next the moves that are played are mostly the same.
            solution = solve_matrix_game(worth.reshape(-1, self._columns[i]), self._solutions[i])
            self._solutions[i] = solution
            found[i] = solution.value
        return found
