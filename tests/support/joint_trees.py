"""Trees some of whose nodes are matrices of joint moves, as Games, and values that are plainly right."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.trees import Node, TreeGame, TreeState

from starspiel.envs.base import CHANCE, SIMULTANEOUS, TERMINAL


@dataclass(frozen=True)
class JointNode(Node):
    """Both players move at once: the children row by row, `columns` in each."""

    columns: int = 1


def joint(*rows: list[Node], guess: float = 0.0) -> JointNode:
    return JointNode(SIMULTANEOUS, guess, tuple(node for row in rows for node in row), (), len(rows[0]))


class JointGame(TreeGame):
    simultaneous = True

    def new_initial_state(self) -> "JointState":
        return JointState(self, self.root)


class JointState(TreeState):
    """Player 0 has the actions 10, 11, ... where both move, and player 1 the actions 20, 21, ..."""

    def legal_actions(self, player: int | None = None) -> list[int]:
        if self.node.player != SIMULTANEOUS:
            return super().legal_actions()
        columns = self.node.columns
        if player is None:
            raise AssertionError("whose actions?")
        count = columns if player else len(self.node.children) // columns
        return [10 * (player + 1) + i for i in range(count)]

    def clone(self) -> "JointState":
        return JointState(self.game, self.node)

    def child(self, action: int) -> "JointState":
        assert self.node.player != SIMULTANEOUS
        return JointState(self.game, self.node.children[action - 10])

    def apply_actions(self, actions: list[int]) -> None:
        row, column = actions
        self.node = self.node.children[(row - 10) * self.node.columns + column - 20]


def linear_programme(matrix: Any) -> float:
    """The value of a matrix game, by its linear programme and nothing else."""
    matrix = np.asarray(matrix)
    rows, columns = matrix.shape
    found = linprog(
        [0.0] * rows + [-1.0],
        A_ub=np.column_stack((-matrix.T, np.ones(columns))),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return float(-found.fun)


def joint_value(node: Node, depth: int, solved: Callable[[Any], float] = linear_programme) -> float:
    """Player 0's value of a node to a depth in decision plies, by the definition."""
    if node.player == TERMINAL or depth == 0:
        return node.value
    below = depth - (node.player != CHANCE)
    values = [joint_value(child, below, solved) for child in node.children]
    if node.player == CHANCE:
        return sum(p * value for p, value in zip(node.chances, values, strict=True))
    if isinstance(node, JointNode):
        return solved(np.reshape(values, (-1, node.columns)))
    return max(values) if node.player == 0 else min(values)


def joint_trees() -> st.SearchStrategy[Node]:
    """Trees of joint, chance and decision nodes, with a joint node at the root, made from a number."""
    return st.integers(0, 2**40).map(joint_tree)


def joint_tree(seed: int) -> Node:
    draw = random.Random(seed)
    # Few values make ties and saddle points, many make mixed strategies.
    values = draw.choice([(-1.0, 0.0, 1.0), tuple(draw.uniform(-1, 1) for _ in range(50))])
    return _joint(draw, values, draw.choice([1, 2, 2, 3]))


def _joint(draw: random.Random, values: tuple[float, ...], depth: int) -> JointNode:
    rows, columns = draw.randint(1, 4), draw.randint(1, 4)
    children = tuple(_node(draw, values, depth - 1) for _ in range(rows * columns))
    return JointNode(SIMULTANEOUS, draw.choice(values), children, (), columns)


def _node(draw: random.Random, values: tuple[float, ...], depth: int) -> Node:
    kind = draw.random()
    if depth == 0 or kind < 0.3:
        return Node(TERMINAL, draw.choice(values))
    if kind < 0.6:
        return _joint(draw, values, depth)
    player = draw.choice((CHANCE, CHANCE, 0, 1))
    children = tuple(_node(draw, values, depth - 1) for _ in range(draw.randint(1, 3)))
    weights = [draw.randint(0, 3) + (i == 0) for i in range(len(children))] if player == CHANCE else []
    return Node(player, draw.choice(values), children, tuple(w / sum(weights) for w in weights))
