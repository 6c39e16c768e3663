"""Solves positions in which both players move at once, as matrix games over their joint moves.

`backed_up` searches every joint move, as expectiminimax does. `double_oracle` solves the game of a few moves
of each player, and looks for a better answer to each strategy among all moves (Bosansky, Lisy, Lanctot,
Cermak & Winands 2016, "Algorithms for computing strategies in two-player simultaneous move games"). The value
of an answer is a mean over the other player's strategy, as at a chance node. It matters only if it exceeds
the value so far, so bounds cut its search as in Star1. If there is a saddle point, this is alpha-beta.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from starspiel.agents.matrix_game import Floats, MatrixSolution, solve_matrix_game
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.expectiminimax import expectiminimax
from starspiel.agents.search.star import CUT_TOLERANCE, star
from starspiel.envs.base import NO_ACTION, joint_child, joint_moves


class JointMoves:
    """The successors of a node of joint moves, and bounds on their values.

    Attributes:
        rows, columns: the moves of player 0 and of player 1; `columns` has one entry if there is no player 1.
        low, high: bounds on the value of each successor, searched to `depth` plies, by row and column.
    """

    def __init__(
        self,
        state: Any,
        depth: int,
        context: SearchContext,
        moves: Sequence[Sequence[int]] | None = None,
        exactly: bool = False,
    ) -> None:
        """Starts with the context's bounds for every successor; with `exactly`, searches return exact values.

        `moves` are each player's moves in the order in which to try them; None means ascending order.
        """
        self._state, self._depth, self._context = state, depth, context
        self._players = len(state.returns())
        moves = moves or joint_moves(state, self._players)
        self.rows: Sequence[int] = moves[0]
        self.columns: Sequence[int] = moves[1] if self._players == 2 else (NO_ACTION,)
        self.low = [[context.lower] * len(self.columns) for _ in self.rows]
        self.high = [[context.upper] * len(self.columns) for _ in self.rows]
        self._exactly = exactly
        self._searched: set[tuple[int, int]] = set()

    @property
    def is_searched(self) -> bool:
        """Whether every joint move has been searched."""
        return len(self._searched) == len(self.rows) * len(self.columns)

    def child(self, row: int, column: int) -> Any:
        """Returns the state after the moves with these indices."""
        return joint_child(self._state, (self.rows[row], self.columns[column])[: self._players])

    def exact(self, rows: Sequence[int], columns: Sequence[int]) -> Floats:
        """Returns the exact values of some rows and columns, searching those that are not known yet."""
        for row in rows:
            for column in columns:
                if self.low[row][column] < self.high[row][column]:
                    self.search(row, column, -math.inf, math.inf)
        return np.array([[self.low[row][column] for column in columns] for row in rows])

    def search(self, row: int, column: int, floor: float, ceiling: float) -> None:
        """Searches a successor in a window, and updates its bounds."""
        context = self._context
        low, high = self.low[row][column], self.high[row][column]
        visit = context.visit or star
        if self._exactly:
            floor, ceiling = -math.inf, math.inf
        floor, ceiling = max(floor, low - context.slack), min(ceiling, high + context.slack)
        value = visit(self.child(row, column), self._depth, floor, ceiling, context)
        self._searched.add((row, column))
        if value <= floor + CUT_TOLERANCE:
            self.high[row][column] = max(low, min(high, value))
        elif value >= ceiling - CUT_TOLERANCE:
            self.low[row][column] = min(high, max(low, value))
        else:
            self.low[row][column] = self.high[row][column] = value

    def bounds(self, player: int, move: int, other: int) -> tuple[float, float]:
        """Returns bounds on a move's value to its player, against one of the other player's moves."""
        if player == 0:
            return self.low[move][other], self.high[move][other]
        return -self.high[other][move], -self.low[other][move]

    def search_for(self, player: int, move: int, other: int, floor: float) -> None:
        """Searches a player's move against one of the other's; the value is exact if it exceeds `floor`."""
        if player == 0:
            self.search(move, other, floor, math.inf)
        else:
            self.search(other, move, -math.inf, -floor)

    def search_all(self) -> Floats:
        """Returns the values of all successors by expectiminimax, or by the evaluator if they are at the
        horizon.
        """
        context = self._context
        children = [self.child(i, j) for i in range(len(self.rows)) for j in range(len(self.columns))]
        context.nodes += len(children)
        if context.nodes >= context.check_at:
            context.check()
        if self._depth == 0 and context.leaves is not None:
            values = context.leaves(children)
        else:
            visit = context.visit or expectiminimax
            values = [visit(child, self._depth, context) for child in children]
        matrix = np.reshape(values, (len(self.rows), len(self.columns)))
        self.low = self.high = matrix.tolist()
        return matrix


def backed_up(state: Any, depth: int, context: SearchContext) -> float:
    """Returns player 0's value of a node of joint moves, searching all of them to `depth` - 1 plies."""
    return solve_matrix_game(JointMoves(state, depth - 1, context).search_all()).value


def double_oracle(state: Any, depth: int, alpha: float, beta: float, context: SearchContext) -> float:
    """Returns player 0's value of a node of joint moves, fail-soft in the window: see `star`."""
    if depth == 1 and context.leaves is not None:
        return backed_up(state, depth, context)
    moves = JointMoves(state, depth - 1, context)
    value = DoubleOracle(moves, context).run(alpha, beta)
    context.decision_cutoffs += not moves.is_searched
    return value


class DoubleOracle:
    """The iterations of the double oracle at one node.

    Args:
        rows, columns: the indices of each player's initial moves.

    Attributes:
        rows, columns: the indices of the moves in the restricted game so far.
        solution: the solution of that game.
    """

    solution: MatrixSolution

    def __init__(
        self,
        moves: JointMoves,
        context: SearchContext,
        rows: Sequence[int] = (0,),
        columns: Sequence[int] = (0,),
    ) -> None:
        self._moves = moves
        self._tolerance = CUT_TOLERANCE * max(1.0, context.size)
        self.rows, self.columns = [*rows], [*columns]

    def run(self, alpha: float, beta: float) -> float:
        """Returns the node's value, or a bound on it outside the window."""
        while True:
            self.solution = solve_matrix_game(self._moves.exact(self.rows, self.columns))
            value = self.solution.value
            row = column = None
            if value < beta - CUT_TOLERANCE:  # otherwise player 1 may have a better answer
                row, high = self._answer(0, max(value, alpha))
                if row is None and value <= alpha + CUT_TOLERANCE:
                    return min(high, alpha + CUT_TOLERANCE)
            if value > alpha + CUT_TOLERANCE:
                column, low = self._answer(1, -min(value, beta))
                if column is None and value >= beta - CUT_TOLERANCE:
                    return max(-low, beta - CUT_TOLERANCE)
            if row is None and column is None:
                return value
            self.rows += [] if row is None else [row]
            self.columns += [] if column is None else [column]

    def _answer(self, player: int, floor: float) -> tuple[int | None, float]:
        """Returns (the best move against the other player's strategy, its value) if its value exceeds
        `floor`, otherwise (None, a bound on the value of all moves). Values are the player's own: those of
        player 1 have the opposite sign.
        """
        moves, solution = self._moves, self.solution
        mine, others = (self.rows, self.columns)[:: 1 - 2 * player]
        strategy = (solution.columns, solution.rows)[player].tolist()
        played = [(chance, other) for chance, other in zip(strategy, others, strict=True) if chance > 0]
        played.sort(key=lambda pair: -pair[0])  # likeliest first
        found, bound = None, (solution.value, -solution.value)[player]
        for move in range(len((moves.rows, moves.columns)[player])):
            if move in mine:
                continue
            worth = self._worth(player, move, played, floor)
            bound = max(bound, worth)
            if worth > floor + self._tolerance:
                found, floor = move, worth
        return found, bound if found is None else floor

    def _worth(self, player: int, move: int, played: list[tuple[float, int]], floor: float) -> float:
        """Returns the value of a move against a strategy; only a bound if that is at most `floor`, as in
        Star1.

        Args:
            played: the other player's strategy, as (probability, move) pairs.
        """
        moves = self._moves
        bounds = [moves.bounds(player, move, other) for _, other in played]
        lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
        for i, (chance, other) in enumerate(played):
            rest = sum(p * high for j, ((p, _), high) in enumerate(zip(played, highs, strict=True)) if j != i)
            if (bound := rest + chance * highs[i]) <= floor + self._tolerance:
                return bound
            if lows[i] < highs[i]:
                moves.search_for(player, move, other, (floor - rest) / chance)
                highs[i] = moves.bounds(player, move, other)[1]
        return sum(p * high for (p, _), high in zip(played, highs, strict=True))
