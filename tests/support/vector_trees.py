"""Trees of vectors as Games, and max^n and paranoid searches of them that are plainly right."""

import random
from typing import Any

from support.trees import Node, TreeGame, TreeState

from starspiel.envs.base import CHANCE, TERMINAL

TIE = 1e-9
FEW = (-1.0, -0.5, 0.0, 0.5, 1.0)


class VectorGame(TreeGame):
    """A tree of vectors as a Game."""

    def __init__(
        self,
        root: Node,
        utility_range: tuple[float, float] | None = (-1.0, 1.0),
        total: float | None = None,
    ) -> None:
        super().__init__(root, utility_range)
        self.num_players = len(root.value)
        self.utility_sum = total


class KeyedGame(VectorGame):
    """Equal subtrees have equal keys."""

    def key(self, state: TreeState) -> Any:
        return state.node


class Guesses:
    """The guess of a node as an evaluator of vectors."""

    name = "guesses"
    range = (-1.0, 1.0)

    def __init__(self, constant_sum: bool = False) -> None:
        self.constant_sum = constant_sum

    def __call__(self, state: TreeState) -> tuple[float, ...]:
        assert not state.is_terminal()
        return state.node.value


class ManyGuesses(Guesses):
    """The same, of many nodes at once."""

    def batch_values(self, states: list[TreeState]) -> list[tuple[float, ...]]:
        return [self(state) for state in states]


def vector_tree(draw: random.Random, players: int, total: float | None, plies: int = 5) -> Node:
    """A random tree whose root is a decision node: values in [-1, 1] that sum to `total`, or to anything.

    A third of them are from few values, so that there are ties; players move in any order, and several times.
    """
    few = draw.random() < 1 / 3
    width = draw.choice((2, 3, 4))

    def value() -> tuple[float, ...]:
        while True:
            parts = [draw.choice(FEW) if few else draw.uniform(-1, 1) for _ in range(players)]
            if total is not None:
                parts[-1] = total - sum(parts[:-1])
            if -1.0 <= parts[-1] <= 1.0:
                return tuple(draw.sample(parts, players))

    def node(level: int, player: int | None = None) -> Node:
        if player is None:
            kinds = (TERMINAL, CHANCE, CHANCE, *range(players), *range(players))
            player = TERMINAL if level == plies else draw.choice(kinds[level < 2 :])
        if player == TERMINAL:
            return Node(TERMINAL, value())
        children = tuple(node(level + 1) for _ in range(draw.randint(1, width)))
        if player != CHANCE:
            return Node(player, value(), children)
        weights = [draw.choice((0, 1, 1, 2, 7)) for _ in children]
        weights[0] += not any(weights)
        return Node(CHANCE, value(), children, tuple(weight / sum(weights) for weight in weights))

    return node(0, draw.randrange(players))


def true_vector(node: Node, depth: int) -> tuple[float, ...]:
    """Every player's value of a node to a depth in decision plies, by the definition of max^n."""
    if node.player == TERMINAL or depth == 0:
        return node.value
    if node.player == CHANCE:
        mean = [0.0] * len(node.value)
        for p, child in zip(node.chances, node.children, strict=True):
            if p:
                vector = true_vector(child, depth)
                mean = [so_far + p * x for so_far, x in zip(mean, vector, strict=True)]
        return tuple(mean)
    best, *others = (true_vector(child, depth - 1) for child in node.children)
    for vector in others:
        if vector[node.player] > best[node.player] + TIE:
            best = vector
    return best


def paranoid_value(node: Node, depth: int, root: int) -> float:
    """The root player's value if all others minimise it, by the definition."""
    if node.player == TERMINAL or depth == 0:
        return node.value[root]
    below = depth - (node.player != CHANCE)
    values = [paranoid_value(child, below, root) for child in node.children]
    if node.player == CHANCE:
        return sum(p * value for p, value in zip(node.chances, values, strict=True))
    return max(values) if node.player == root else min(values)


def start(root: Node, *rest: Any) -> TreeState:
    """The root of a VectorGame as a state."""
    return VectorGame(root, *rest).new_initial_state()


def end(*value):
    return Node(TERMINAL, value)


def choice(player, *children, guess=None):
    return Node(player, guess or children[0].value, children)
