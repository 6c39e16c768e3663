"""UCT in games whose values are vectors: every player maximises their own return (Sturtevant 2008)."""

import math
from collections.abc import Sequence
from typing import Any

from starspiel.agents.bots.natural_log import natural_log
from starspiel.agents.bots.uct_search import Frame, UCTSearch, summed
from starspiel.agents.bots.uct_tree import Node, Tried
from starspiel.agents.search.maxn import is_better
from starspiel.agents.search.vector_leaves import Vector, as_vector
from starspiel.envs.base import CHANCE, collected_by
from starspiel.envs.errors import EvaluatorError, shown


def finite_vector(returned: Any, players: int) -> Vector:
    """What an evaluator returned, as a vector. Raises EvaluatorError if it is none of finite numbers."""
    vector = as_vector(returned, players)
    if vector is None or not all(map(math.isfinite, vector)):
        raise EvaluatorError(
            f"uct: the evaluator returned {shown(returned)}; expected {players} finite numbers, one return a "
            "player."
        )
    return vector


class VectorUCTSearch(UCTSearch):
    """A `UCTSearch` that backs up every player's return.

    A node's total is of the player who decided for it, and the second part of a frame is that player. Of
    actions that are proven to be equally good for a player the first counts, as in max^n.
    """

    def __init__(self, *arguments: Any) -> None:
        """Takes what `UCTSearch` takes."""
        super().__init__(*arguments)
        self._sign = 1.0
        self._start = [collected_by(p, self._game, self._state) for p in range(self._game.num_players)]

    def tried(self) -> dict[int, Tried]:
        so_far, mover = self._frame
        return {
            action: Tried(
                node.visits, node.mean, None if node.proven is None else node.proven[mover] - so_far
            )
            for (_, action), node in sorted(self._root.children.items())
        }

    def _collected(self, state: Any) -> Frame:
        player = state.current_player()
        return collected_by(player, self._game, state), player

    def _returns(self, state: Any) -> Vector:
        return tuple(map(float, state.returns()))

    def _evaluated(self, returned: Any) -> Vector:
        return finite_vector(returned, self._game.num_players)

    def _mean(self, values: Sequence[Vector]) -> Vector:
        return tuple(summed(own) / len(values) for own in zip(*values, strict=True))

    def _most_promising(self, node: Node, actions: Sequence[int], player: int, frame: Frame) -> int:
        explore = self._settings.uct_c * self._unit

        def worth(action: int) -> float:
            child = node.children[player, action]
            if child.proven is not None:
                own: float = child.proven[player] - frame[0]
                return own
            return child.mean + explore * math.sqrt(natural_log(child.available) / child.visits)

        return max(actions, key=worth)

    def _back_up(self, path: Sequence[tuple[Node, Frame]], value: Vector) -> None:
        seen = [own - so_far for own, so_far in zip(value, self._start, strict=True)]
        self._see(min(seen), max(seen))
        self._root.visits += 1
        for node, (so_far, player) in path:
            node.visits += 1
            node.total += value[int(player)] - so_far
        self._prove(path)

    def _proof(self, node: Node) -> Vector | None:
        if node.moves is None:
            return None
        if node.mover == CHANCE:
            return self._expected(node)
        best: Vector | None = None
        for action in node.moves:
            child = node.children.get((node.mover, action))
            if child is None or child.proven is None:
                return None
            if best is None or is_better(child.proven[node.mover], best[node.mover]):
                best = child.proven
            if best[node.mover] >= self._bounds[1]:
                break
        return best

    def _expected(self, node: Node) -> Vector | None:
        expected = [0.0] * self._game.num_players
        for outcome, probability in node.moves or ():
            if probability > 0.0:
                child = node.children.get((CHANCE, outcome))
                if child is None or child.proven is None:
                    return None
                expected = [e + probability * own for e, own in zip(expected, child.proven, strict=True)]
        return tuple(expected)
