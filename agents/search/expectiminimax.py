"""Expectiminimax (Michie 1966): the value of a state by full-width search to a depth, with no pruning."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from starspiel.agents.search.context import SearchContext, best_leaf
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import CHANCE, TERMINAL, possible_outcomes


def expectiminimax(state: Any, depth: int, context: SearchContext) -> float:
    """Player 0's expected return from `state` under best play for `depth` decision plies.

    States at the horizon, chance nodes included, are valued by the context's evaluator; those that are not
    quiet are searched on, to as many plies more as the context's `extension`. A node counts its
    successors, all of which it visits; the caller counts `state` itself.
    """
    if depth <= 0 and (depth == -context.extension or context.quiet(state)):
        return context.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return context.utility(state)
    if depth == 1 and context.leaves is not None and player != CHANCE:
        context.interior += 1
        return best_leaf(context.leaves, state, player, context)
    successors: Any = possible_outcomes(state) if player == CHANCE else state.legal_actions()
    if player == context.modelled and context.opponent is not None:
        successors = context.opponent.replies(state)
    context.interior += 1
    context.nodes += len(successors)
    if context.nodes >= context.check_at:
        context.check()
    child = state.child
    visit = context.visit or expectiminimax
    if player == CHANCE:
        mean = 0.0
        for outcome, p in successors:
            mean += p * visit(child(outcome), depth, context)
        return mean
    if player == context.modelled and context.opponent is not None:
        values = [visit(child(action), depth - 1, context) for action, _ in successors]
        return context.opponent.value(values, [p for _, p in successors], player)
    best = max if player == 0 else min
    children = map(child, successors)
    if (
        depth == 1 and context.visit is None and not context.extension
    ):  # One call a leaf cheaper than the line below, and most of a tree is its leaves.
        return best(map(context.leaf, children))
    return best(map(visit, children, repeat(depth - 1), repeat(context)))


def expectiminimax_with_table(state: Any, depth: int, context: SearchContext, table: IntervalTable) -> float:
    """What `expectiminimax` returns, up to rounding; a decision node found in the table is not searched."""
    if depth <= 0 and (depth == -context.extension or context.quiet(state)):
        return context.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return context.utility(state)
    if player != CHANCE and (found := table.find(state, depth)) is not None:
        value, _, exact = found
        context.table_hits += 1
        # A node neither interior nor terminal counts as one that an evaluator valued.
        context.terminals += exact
        return value
    successors: Any = possible_outcomes(state) if player == CHANCE else state.legal_actions()
    chances: Sequence[float] = ()
    if player == context.modelled and context.opponent is not None:
        successors, chances = zip(*context.opponent.replies(state), strict=True)
    context.interior += 1
    context.nodes += len(successors)
    if context.nodes >= context.check_at:
        context.check()
    child = state.child
    visit = context.visit or expectiminimax_with_table
    if player == CHANCE:
        mean = 0.0
        for outcome, p in successors:
            mean += p * visit(child(outcome), depth, context, table)
        return mean
    unresolved = context.evaluations - len(successors)
    if depth == 1 and context.leaves is not None:
        values = context.leaves([child(action) for action in successors])
    else:
        values = [visit(child(action), depth - 1, context, table) for action in successors]
    if player == context.modelled and context.opponent is not None:
        best = context.opponent.value(values, chances, player)
    else:
        best = max(values) if player == 0 else min(values)
    table.keep(state, depth, best, best, context.evaluations == unresolved)
    return best
