"""Ballard 1983, "The *-minimax search procedure for trees containing chance nodes": what is saved.

    python benchmarks/papers/ballard_1983.py [--branching 20] [--trees 6]

Regular trees of the paper's kind: a maximiser, a chance node with equal chances, a minimiser and the
leaves, each with as many successors. Counted are the leaves looked at, each once however often it is
seen. Successors are in random order, or the best of every player's node comes first.

How the paper draws its leaves is not known to us, and all depends on it. Here related positions have
related values, as in games: each node has a number drawn evenly from [0, 1], and a leaf is worth the mean
of those on the way to it. By what else Star1 would save, how much the numbers of the moves and rolls before
the leaf count against its own, is shown below without a band: at 0 leaves are independent.
"""

import argparse
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from published import Figure, report

import starspiel
from starspiel.envs.base import CHANCE, TERMINAL

#: How much the numbers before a leaf count against its own, if no band is set.
WEIGHTS = (0.0, 0.5, 2.0, 3.0)

_KINDS = (0, CHANCE, 1, TERMINAL)


@dataclass(frozen=True)
class Node:
    """A node, its value, and its successors in the order in which they are searched."""

    number: int
    level: int
    value: float
    children: tuple["Node", ...] = ()


class RegularTree:
    """A tree as a Game and the source of its States; it counts the leaves that are looked at."""

    name, num_players, step_rewards, discount, explicit_chance = "regular tree", 2, False, 1.0, True
    utility_range = (0.0, 1.0)

    def __init__(self, root: Node, branching: int) -> None:
        self.root, self.num_distinct_actions = root, branching
        self.seen: set[int] = set()

    def new_initial_state(self) -> "TreeState":
        return TreeState(self, self.root)

    def key(self, state: "TreeState") -> None:
        return None

    def frame(self, state: "TreeState") -> tuple[float, float]:
        return 0.0, 1.0

    def reroot(self, state: "TreeState") -> "TreeState":
        return state


class TreeState:
    def __init__(self, game: RegularTree, node: Node) -> None:
        self.game, self.node = game, node

    def current_player(self) -> int:
        return _KINDS[self.node.level]

    def is_terminal(self) -> bool:
        return self.current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        return self.current_player() == CHANCE

    def legal_actions(self) -> list[int]:
        return list(range(len(self.node.children)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(i, 1 / len(self.node.children)) for i in range(len(self.node.children))]

    def child(self, action: int) -> "TreeState":
        return TreeState(self.game, self.node.children[action])

    def returns(self) -> list[float]:
        self.game.seen.add(self.node.number)
        return [self.node.value, -self.node.value]

    def action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def get_game(self) -> RegularTree:
        return self.game


def made(
    branching: int, rng: random.Random, weight: float, level: int = 0, path: int = 0, above: float = 0.0
) -> Node:
    """A tree from `level` on, successors in random order; `above` is the sum of the numbers on the way.

    A number before a leaf counts `weight` times as much as its own.
    """
    number = rng.random() if level else 0.0
    if level == 3:
        return Node(path, level, (weight * above + number) / (2 * weight + 1))
    children = tuple(
        made(branching, rng, weight, level + 1, path * branching + i, above + number)
        for i in range(branching)
    )
    values = [child.value for child in children]
    value = sum(values) / branching if level == 1 else max(values) if level == 0 else min(values)
    return Node(path, level, value, children)


def in_best_order(node: Node) -> Node:
    """The same tree with the best successor of every player's node first."""
    children = tuple(map(in_best_order, node.children))
    if node.level in (0, 2):
        children = tuple(sorted(children, key=lambda child: child.value, reverse=node.level == 0))
    return replace(node, children=children)


def leaves(root: Node, branching: int, algorithm: str) -> int:
    """How many leaves a search of the whole tree looks at."""
    game = RegularTree(root, branching)
    result = starspiel.search(
        game.new_initial_state(),
        algorithm,
        starspiel.Limits(depth=3),
        "zero",
        engine="python",
        ties="first",
        explain=False,
        exact_action_values=False,
    )
    assert abs(result.value - root.value) < 1e-9
    return len(game.seen)


def figures(branching: int, trees: int, seed: int) -> Iterator[Figure]:
    rng = random.Random(seed)

    def saved(algorithm: str, roots: list[Node]) -> list[float]:
        return [1 - leaves(root, branching, algorithm) / branching**3 for root in roots]

    related = [made(branching, rng, 1.0) for _ in range(trees)]
    best_first = [in_best_order(root) for root in related]
    yield Figure.of("Star1 saves, random order, %", "25 to 30", saved("star1", related), (0.25, 0.3))
    yield Figure.of("Star2 saves, random order, %", "more than 50", saved("star2", related), (0.5, 1.0))
    fewer = [1 / (1 - part) for part in saved("star2", best_first)]
    yield Figure.of("Star2, best first, times fewer", "order of magnitude", fewer, (7.0, 20.0), "times")
    anything = (-math.inf, math.inf)
    for weight in WEIGHTS:
        roots = [made(branching, rng, weight) for _ in range(trees)]
        for algorithm in ("Star1", "Star2"):
            what = f"{algorithm}, before the leaf {weight:g} times, %"
            yield Figure.of(what, "–", saved(algorithm.lower(), roots), anything)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--branching", type=int, default=20)
    parser.add_argument("--trees", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    title = f"Ballard 1983: {given.trees} regular trees, {given.branching} successors a node"
    return report(title, figures(given.branching, given.trees, given.seed))


if __name__ == "__main__":
    sys.exit(main())
