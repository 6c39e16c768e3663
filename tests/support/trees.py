"""Explicit game trees as Games, a hypothesis strategy that makes them, and a search that is plainly right.

A tree is a nest of `Node`s: of the maximiser, of the minimiser, of chance, or terminal, in any order: chance
nodes in a row, several moves of one player in a row, successors of different kinds under one chance node.
"""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.envs.base import CHANCE, TERMINAL

#: How many random trees of each kind a test takes; STARSPIEL_TREES=10000 takes about an hour.
TREES = int(os.environ.get("STARSPIEL_TREES", "50"))


@dataclass(frozen=True)
class Node:
    """`player` acts; `value` is the return of a terminal node and the evaluator's guess of any other.

    It is player 0's, or in trees of vectors one number a player.
    """

    player: int
    value: Any
    children: tuple["Node", ...] = ()
    chances: tuple[float, ...] = ()


def leaf(value: float) -> Node:
    return Node(TERMINAL, value)


def top(*children: Node, guess: float = 0.0) -> Node:
    return Node(0, guess, children)


def bottom(*children: Node, guess: float = 0.0) -> Node:
    return Node(1, guess, children)


def chance(*outcomes: tuple[float, Node], guess: float = 0.0) -> Node:
    return Node(CHANCE, guess, tuple(node for _, node in outcomes), tuple(p for p, _ in outcomes))


class TreeGame:
    """A tree as a Game. Two-player unless told otherwise, with utilities in `utility_range`."""

    num_players = 2
    utility_sum: float | None = 0.0
    step_rewards = False
    discount = 1.0
    explicit_chance = True
    num_distinct_actions = 100

    def __init__(
        self, root: Node, utility_range: tuple[float, float] | None = (-1.0, 1.0), name: str = "tree"
    ) -> None:
        self.root, self.utility_range, self.name = root, utility_range, name

    def new_initial_state(self) -> "TreeState":
        return TreeState(self, self.root)

    def key(self, state: Any) -> None:
        return None

    def frame(self, state: Any) -> tuple[float, float]:
        return 0.0, 1.0

    def reroot(self, state: "TreeState") -> "TreeState":
        return state


class TreeState:
    """A node of a TreeGame as a State. Actions are 10, 11, …: not equal to their places in the list."""

    def __init__(self, game: TreeGame, node: Node) -> None:
        self.game, self.node = game, node

    def current_player(self) -> int:
        return self.node.player

    def is_terminal(self) -> bool:
        return self.node.player == TERMINAL

    def is_chance_node(self) -> bool:
        return self.node.player == CHANCE

    def legal_actions(self) -> list[int]:
        return [10 + i for i in range(len(self.node.children))] if self.node.player != TERMINAL else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(10 + i, p) for i, p in enumerate(self.node.chances)]

    def child(self, action: int) -> "TreeState":
        return TreeState(self.game, self.node.children[action - 10])

    def returns(self) -> list[float]:
        if self.game.utility_sum != 0 or self.game.num_players != 2:
            return list(self.node.value) if self.is_terminal() else [0.0] * self.game.num_players
        value = self.node.value if self.is_terminal() else 0.0
        return [value, -value]

    def action_to_string(self, player: int, action: int) -> str:
        return f"{'roll' if player == CHANCE else 'move'} {action}"

    def get_game(self) -> TreeGame:
        return self.game

    def __str__(self) -> str:
        return f"node of {self.node.player} with {len(self.node.children)} successors"


class DrawnGame(TreeGame):
    """A tree of whose chance nodes only `sample` is known; equal positions are equal places in the tree."""

    explicit_chance = False

    def new_initial_state(self) -> "DrawnState":
        return _drawn(self, self.root)

    def key(self, state: Any) -> int:
        return id(state.node)


class DrawnState(TreeState):
    def child(self, action: int) -> "DrawnState":
        assert not self.is_chance_node()
        return _drawn(self.game, self.node.children[action - 10])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        raise AssertionError("the outcomes cannot be listed")


class DrawnChance(DrawnState):
    def sample(self, rng: Any) -> DrawnState:
        place = rng.choice(len(self.node.children), p=self.node.chances)
        return _drawn(self.game, self.node.children[place])


def _drawn(game: TreeGame, node: Node) -> DrawnState:
    return (DrawnChance if node.player == CHANCE else DrawnState)(game, node)


def guess(state: TreeState) -> float:
    """The evaluator of trees: another number at every node."""
    return state.node.value


class Guess(FunctionEvaluator):
    """The guess of a node as an evaluator."""

    def __init__(self) -> None:
        super().__init__(guess, "guess", (-1.0, 1.0))


def skewed(state: TreeState) -> dict[int, float]:
    """A policy: the first move most often, the last of several never."""
    moves = state.legal_actions()
    weights = [len(moves) - 1 - i for i in range(len(moves))] if len(moves) > 1 else [1]
    return {move: weight / sum(weights) for move, weight in zip(moves, weights, strict=True)}


def true_value(node: Node, depth: int) -> float:
    """Player 0's value of a node to a depth in decision plies, by the definition and nothing else."""
    if node.player == TERMINAL or depth == 0:
        return node.value
    if node.player == CHANCE:
        return sum(
            p * true_value(child, depth) for p, child in zip(node.chances, node.children, strict=True) if p
        )
    values = [true_value(child, depth - 1) for child in node.children]
    return max(values) if node.player == 0 else min(values)


def trees() -> st.SearchStrategy[Node]:
    """Trees with values in [-1, 1], from single leaves to some hundred nodes, of any mixture of kinds.

    A tree is read from bytes: one draw a tree, so that ten thousand take seconds, and a failing one shrinks.
    """
    data = st.one_of(st.binary(max_size=40), st.binary(min_size=80, max_size=180))
    return data.map(lambda bits: _read(iter(bits), 0))


def random_tree(seed: int) -> Node:
    """A large tree whose root is the maximiser's."""
    draw = random.Random(seed)
    # No byte says that a node is terminal: those are at the lowest level, or past the last byte.
    inner = [[byte if byte % 8 else byte + 4 for byte in draw.randbytes(900)] for _ in range(4)]
    return Node(0, 0.0, tuple(_read(iter(each), 0) for each in inner))


def decision_trees() -> st.SearchStrategy[Node]:
    """Trees whose root is a decision node."""
    return st.tuples(st.integers(0, 1), st.lists(trees(), min_size=1, max_size=4)).map(
        lambda drawn: Node(drawn[0], 0.0, tuple(drawn[1]))
    )


def _read(bits: Iterator[int], level: int) -> Node:
    kind = next(bits, 0)
    value = next(bits, 0) / 127.5 - 1
    # Half of the inner nodes are of chance; the rest of the first byte says how many successors.
    player = (TERMINAL, CHANCE, CHANCE, 0, 1, 0, 1, CHANCE)[kind % 8]
    if player == TERMINAL or level == 7:
        return Node(TERMINAL, value)
    count = 1 + kind // 8 % 5
    if player != CHANCE:
        return Node(player, value, tuple(_read(bits, level + 1) for _ in range(count)))
    weights = [(next(bits, 1) % 17) ** 2 for _ in range(count)]
    weights[kind // 64 % count] += 1  # One outcome in seventeen is impossible, but not all of a node.
    children = tuple(_read(bits, level + 1) for _ in range(count))
    return Node(CHANCE, value, children, tuple(weight / sum(weights) for weight in weights))


def tree_depth(node: Node) -> int:
    """The least depth in decision plies at which no evaluator is asked."""
    if node.player == TERMINAL:
        return 0
    deepest = max(map(tree_depth, node.children))
    return max(1, deepest) if node.player == CHANCE else 1 + deepest
