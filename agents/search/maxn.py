"""Searches by max^n (Luckhardt & Irani 1986) with chance nodes: players maximise their own expected return.

A value is a vector with one return per player. Of equally good actions, the first in the game's order is
taken, regardless of pruning.

Pruning uses a floor: a player higher up in the tree chooses a line only if it returns more to them than the
floor. The floor is passed to the next player's nodes and no further, since deep pruning is unsound in max^n
(Korf 1991). Decision nodes are cut by the sum of all returns (shallow pruning, Sturtevant & Korf 2000).
Chance nodes are cut, as in Star1, by the most that an outcome can return to that player.
"""

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.result import TIE_TOLERANCE
from starspiel.agents.search.star import CUT_TOLERANCE
from starspiel.agents.search.table import VectorTable
from starspiel.agents.search.vector_leaves import Vector
from starspiel.envs.base import CHANCE, TERMINAL, possible_outcomes


class MaxnContext(SearchContext):
    """A SearchContext whose values are vectors.

    Attributes:
        lower: the least return of any player.
        most: the greatest return of any player, by their bound and the sum; infinite if nothing is pruned.
        total: the greatest sum of all returns; infinite if unknown, or if nothing is pruned.
        hands_floors: whether anything is pruned.
        num_players: the number of components of a vector.
        vectors: the transposition table of vectors, or None.
    """

    leaf: Callable[[Any], Vector]  # type: ignore[assignment]
    leaves: Callable[[list[Any]], list[Vector]] | None  # type: ignore[assignment]
    most: float
    total: float
    hands_floors: bool
    num_players: int
    vectors: VectorTable | None = None

    def utility(self, state: Any) -> Vector:  # type: ignore[override]
        """Returns every player's return at a terminal state, and counts the state."""
        self.terminals += 1
        vector = tuple(map(float, state.returns()))
        self.size = max(self.size, *map(abs, vector))
        least, most, total = min(vector), max(vector), sum(vector)
        if least < self.lower - self.slack or most > self.upper + self.slack:
            raise self.broken(f"returns of {vector} outside [{self.lower:g}, {self.upper:g}]", state)
        if total > self.total + self.num_players * self.slack:
            raise self.broken(f"returns of {vector}, whose sum exceeds {self.total:g}", state)
        return vector


def is_better(value: float, best: float) -> bool:
    """Returns whether a player prefers a later action of value `value` to an earlier one of value `best`."""
    return value > best + TIE_TOLERANCE * max(1.0, abs(best))


def maxn(state: Any, depth: int, chooser: int, floor: float, context: MaxnContext) -> Vector:
    """Returns every player's expected return from `state`, searched to `depth` decision plies.

    If the component of `chooser`, a player higher up in the tree, does not exceed `floor`, it is an upper
    bound and the other components are undefined. Otherwise all are exact.
    """
    context.nodes += 1
    if context.nodes >= context.check_at:
        context.check()
    if depth == 0:
        return context.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return context.utility(state)
    table = context.vectors
    if table is None:
        return _search(state, player, depth, chooser, floor, context)
    found = table.find(state, depth)
    if found is not None:
        context.table_hits += 1
        # A node that is neither interior nor terminal counts as one that an evaluator valued.
        context.terminals += found[1]
        return found[0]
    evaluations = context.evaluations - 1
    vector = _search(state, player, depth, chooser, floor, context)
    if floor == -math.inf or vector[chooser] > floor + 2 * CUT_TOLERANCE:
        table.keep(state, depth, vector, context.evaluations == evaluations)
    return vector


def _search(state: Any, player: int, depth: int, chooser: int, floor: float, context: MaxnContext) -> Vector:
    context.interior += 1
    if player == CHANCE:
        return _chance(state, depth, chooser, floor, context)
    if depth == 1 and context.leaves is not None:
        return _best_leaf(state, player, context)
    return _decision(state, player, depth, chooser, floor, context)


def _decision(
    state: Any, player: int, depth: int, chooser: int, floor: float, context: MaxnContext
) -> Vector:
    actions = state.legal_actions()
    last = len(actions) - 1
    visit: Callable[..., Any] = context.visit or maxn
    hands, above = context.hands_floors, chooser != player and floor > -math.inf
    best: Vector = ()
    # Only the chooser's own floor applies here: to lines that return no more to this player.
    own = floor if chooser == player else -math.inf
    for i, action in enumerate(actions):
        vector = visit(state.child(action), depth - 1, player, own, context)
        if best and not is_better(vector[player], best[player]):
            continue
        best = vector
        if not hands:
            continue
        mine = best[player]
        if mine >= context.most - CUT_TOLERANCE:
            context.decision_cutoffs += i < last
            return best
        if above:
            left = context.total - mine - (context.num_players - 2) * context.lower
            if left <= floor:
                context.decision_cutoffs += i < last
                return _with(best, chooser, min(best[chooser], floor))
        own = max(own, mine)
    return best


def _best_leaf(state: Any, player: int, context: MaxnContext) -> Vector:
    """Returns the best successor's vector of a node one ply above the horizon; values all in one call."""
    children = [state.child(action) for action in state.legal_actions()]
    context.nodes += len(children)
    if context.nodes >= context.check_at:
        context.check()
    assert context.leaves is not None
    best, *others = context.leaves(children)
    for vector in others:
        if is_better(vector[player], best[player]):
            best = vector
    return best


def _chance(state: Any, depth: int, chooser: int, floor: float, context: MaxnContext) -> Vector:
    """Returns the mean of the outcomes' vectors; stops early once `chooser` cannot exceed the floor."""
    outcomes = possible_outcomes(state)
    last = len(outcomes) - 1
    visit: Callable[..., Any] = context.visit or maxn
    mean = [0.0] * context.num_players
    unseen = list(accumulate((p for _, p in reversed(outcomes)), initial=0.0))
    needed = -math.inf
    for i, (outcome, p) in enumerate(outcomes):
        if floor > -math.inf:
            rest = unseen[last - i] * context.most
            needed = (floor - mean[chooser] - rest) / p
            if needed < context.lower:
                needed = -math.inf  # Every outcome returns at least `lower`, so there is no floor.
        vector = visit(state.child(outcome), depth, chooser, needed, context)
        mean = [so_far + p * each for so_far, each in zip(mean, vector, strict=True)]
        if floor > -math.inf and mean[chooser] + rest <= floor + CUT_TOLERANCE:
            context.chance_cutoffs += i < last
            return _with(tuple(mean), chooser, mean[chooser] + rest)
    return tuple(mean)


def _with(vector: Vector, player: int, value: float) -> Vector:
    """Returns the vector with one component replaced."""
    return (*vector[:player], value, *vector[player + 1 :])
