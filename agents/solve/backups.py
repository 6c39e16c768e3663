"""Backs up the values of a level's positions, numbers or vectors, from their successors."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy  # loads its parts on first use, as they are slow to load

from starspiel.agents.matrix_game import MatrixSolution, solve_matrix_game
from starspiel.agents.solve.levels import Floats, Level, Places
from starspiel.agents.solve.times import TIE_TOLERANCE, Mixtures
from starspiel.envs.base import SIMULTANEOUS

#: A successor to which a strategy gives a smaller probability is not played.
_SUPPORT = 1e-12


class Backup(ABC):
    """Backs up the values of a level's positions.

    Attributes:
        remedy: a sentence on what to do if the values do not converge.
    """

    remedy: ClassVar[str]

    @abstractmethod
    def __init__(self, level: Level) -> None: ...

    @abstractmethod
    def parts(self, values: Floats) -> Iterator[tuple[Places, Floats]]:
        """Yields (places, their new values) for the chance nodes, then for each player, by the current
        `values`.
        """

    def sweep(self, values: Floats) -> None:
        """Backs up every position in place."""
        for places, found in self.parts(values):
            values[places] = found

    def error(self, values: Floats) -> float:
        """Returns the greatest difference between a value and its backup."""
        return max(
            float(np.abs(found - values[places]).max(initial=0.0)) for places, found in self.parts(values)
        )

    def mixtures(self) -> Mixtures | None:
        """Returns the strategies at positions of simultaneous moves; None if there are no such positions."""
        return None


class NumberBackup(Backup):
    """Player 0's values in one-player games and two-player zero-sum games."""

    remedy = (
        "Either rewards are paid without end, or play ends so rarely that values settle too slowly; "
        "a discount below 1, a smaller one, or a horizon helps."
    )

    def __init__(self, level: Level) -> None:
        graph, edges = level.graph, level.chance_edges
        weight = graph.weight[edges]
        self._paid: Floats | float = 0.0
        if graph.is_paid and len(edges):
            self._paid = np.add.reduceat(weight * graph.reward[edges], level.starts[:-1])
            weight = weight * graph.ratio[edges]
        self._chances, self._matrix = level.chances, level.expectation(weight)
        self._joint = _JointBackup(level) if (level.player == SIMULTANEOUS).any() else None
        self._decisions: list[tuple[Any, Places, list[tuple[Any, ...]]]] = []
        for player, best in ((0, np.maximum), (1, np.minimum)):
            nodes, columns = level.decisions(level.player == player)
            moves = [
                (level.targets(edges), *((graph.reward[edges], graph.ratio[edges]) if graph.is_paid else ()))
                for edges in columns
            ]
            self._decisions.append((best, level.places(nodes), moves))

    def parts(self, values: Floats) -> Iterator[tuple[Places, Floats]]:
        yield self._chances, self._matrix @ values + self._paid
        for best, places, moves in self._decisions:
            found = np.empty(0)
            for n, (target, *pays) in enumerate(moves):
                worth = pays[0] + pays[1] * values[target] if pays else values[target]
                if n == 0:
                    found = worth
                else:
                    best(found[: len(worth)], worth, out=found[: len(worth)])
            yield places, found
        if self._joint is not None:
            yield self._joint.places, self._joint.found(values)

    def mixtures(self) -> Mixtures | None:
        return None if self._joint is None else self._joint.mixtures()


class _JointBackup:
    """Backs up positions in which both players move at once: matrix games over their successors' values.

    Attributes:
        places: indices of these positions among those that the level touches.
    """

    def __init__(self, level: Level) -> None:
        nodes = level.nodes[level.player == SIMULTANEOUS]
        self.places: Places = level.places(nodes)
        graph = level.graph
        self._edges = [np.arange(graph.first[node], graph.first[node + 1]) for node in nodes]
        self._targets = [level.targets(edges) for edges in self._edges]
        self._columns = [int(graph.columns[node]) for node in nodes]
        self._graph, self._touched = graph, len(level.touched)
        self._solutions: list[MatrixSolution | None] = [None] * len(nodes)

    def found(self, values: Floats) -> Floats:
        """Returns the values of these positions; `values` are those of all that the level touches."""
        found = np.empty(len(self._targets))
        for i, (edges, target) in enumerate(zip(self._edges, self._targets, strict=True)):
            worth = values[target]
            if self._graph.is_paid:
                worth = self._graph.reward[edges] + self._graph.ratio[edges] * worth
            # Supports seldom change between sweeps, so the last solution is a good starting point.
            solution = solve_matrix_game(worth.reshape(-1, self._columns[i]), self._solutions[i])
            self._solutions[i] = solution
            found[i] = solution.value
        return found

    def mixtures(self) -> Mixtures:
        played = [np.outer(each.rows, each.columns).ravel() for each in self._solutions if each is not None]
        played = [np.where(chances > _SUPPORT, chances, 0.0) for chances in played]
        shape, starts = (len(played), self._touched), np.cumsum([0, *map(len, played)])
        arrays = np.concatenate((*played, [])), np.concatenate((*self._targets, [])).astype(np.int32), starts
        chances = scipy.sparse.csr_matrix(arrays, shape)
        chances.eliminate_zeros()  # otherwise they would be multiplied by infinite times
        paid = np.zeros(len(played), bool)
        if self._graph.is_paid:
            pays = [np.abs(self._graph.reward[edges]) > TIE_TOLERANCE for edges in self._edges]
            paid[:] = [bool(chances[pay].any()) for chances, pay in zip(played, pays, strict=True)]
        return Mixtures(self.places, chances, paid)


class VectorBackup(Backup):
    """Every player's values, of shape (positions, players), with more than two players or without constant
    sum.

    Each player maximises their own return (max^n). Of actions with the same value for the player, the first
    in the game's order is chosen. By this rule, a game without cycles has one value. In a game with cycles,
    the values at which sweeps settle are one equilibrium whose choices depend on the position alone; there
    may be others, or none.
    """

    remedy = (
        "More than two players need not have a best play that depends on the position alone; a game without "
        "cycles, as one with a horizon below 100, has one."
    )

    def __init__(self, level: Level) -> None:
        weight = level.graph.weight[level.chance_edges]
        self._chances, self._matrix = level.chances, level.expectation(weight)
        self._decisions: list[tuple[int, Places, list[Places]]] = []
        for player in range(level.graph.ending.shape[1]):
            nodes, columns = level.decisions(level.player == player)
            self._decisions.append((player, level.places(nodes), [level.targets(edges) for edges in columns]))

    def parts(self, values: Floats) -> Iterator[tuple[Places, Floats]]:
        yield self._chances, self._matrix @ values
        for player, places, moves in self._decisions:
            found = np.empty((0, values.shape[1]))
            for n, target in enumerate(moves):
                worth = values[target]
                if n == 0:
                    found = worth
                    continue
                best = found[: len(worth)]
                tie = TIE_TOLERANCE * np.maximum(1.0, np.abs(best).max(axis=1))
                better = worth[:, player] > best[:, player] + tie
                found[: len(worth)][better] = worth[better]
            yield places, found
