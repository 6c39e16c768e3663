"""Extends UCT to games of vector values: every player maximises their own return (Sturtevant 2008)."""

import math
from collections.abc import Sequence
from typing import Any

from starspiel.agents.bots.uct_search import Frame, UCTSearch, summed
from starspiel.agents.bots.uct_tree import Node
from starspiel.agents.search.maxn import is_better
from starspiel.agents.search.vector_leaves import Vector, as_vector
from starspiel.envs.base import collected_by
from starspiel.envs.errors import EvaluatorError, shown


def finite_vector(returned: Any, players: int) -> Vector:
    """Converts what an evaluator returned to a vector. Raises EvaluatorError unless it is finite."""
    vector = as_vector(returned, players)
    if vector is None or not all(map(math.isfinite, vector)):
        raise EvaluatorError(
            f"uct: the evaluator returned {shown(returned)}; expected {players} finite numbers, one return a "
            "player."
        )
    return vector


class VectorUCTSearch(UCTSearch):
    """A `UCTSearch` that backs up every player's return.

    Of actions proven to be equally good for a player, the first counts, as in max^n.
    """

    def __init__(self, *arguments: Any) -> None:
        """Takes the arguments of `UCTSearch`."""
        super().__init__(*arguments)
        self._sign = 1.0
        self._start = [collected_by(p, self._game, self._state) for p in range(self._game.num_players)]

    def _collected(self, state: Any) -> Frame:
        player = state.current_player()
        return collected_by(player, self._game, state), 1.0, player

    def _gain(self, value: Vector, frame: Frame) -> float:
        return value[frame[2]] - frame[0]

    def _from_root(self, value: Vector) -> Sequence[float]:
        return [own - so_far for own, so_far in zip(value, self._start, strict=True)]

    def _returns(self, state: Any) -> Vector:
        return tuple(map(float, state.returns()))

    def _evaluated(self, returned: Any) -> Vector:
        return finite_vector(returned, self._game.num_players)

    def _mean(self, values: Sequence[Vector]) -> Vector:
        return tuple(summed(own) / len(values) for own in zip(*values, strict=True))

    def _expected(self, parts: Sequence[tuple[float, Vector]]) -> Vector:
        expected = [0.0] * self._game.num_players
        for probability, value in parts:
            expected = [e + probability * own for e, own in zip(expected, value, strict=True)]
        return tuple(expected)

    def _best_proven(self, node: Node, moves: Sequence[int]) -> Vector | None:
        best: Vector | None = None
        for action in moves:
            child = node.children.get((node.mover, action))
            if child is None or child.proven is None:
                return None
            if best is None or is_better(child.proven[node.mover], best[node.mover]):
                best = child.proven
            if best[node.mover] >= self._bounds[1]:
                break
        return best
