"""Computes expectiminimax (Michie 1966): the value of a state by full-width search to a depth, without
pruning.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from starspiel.agents.search.context import SearchContext, best_leaf
from starspiel.envs.base import CHANCE, SIMULTANEOUS, TERMINAL, possible_outcomes


def expectiminimax(state: Any, depth: int, context: SearchContext) -> float:
    """Returns player 0's expected return from `state` under best play for `depth` decision plies.

    States at the horizon, including chance nodes, are valued by the context's evaluator. A decision node
    found in the context's table is not searched. Each node counts its successors, all of which it visits; the
    caller counts `state` itself.
    """
    if depth == 0:
        return context.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return context.utility(state)
    table = context.table
    if table is not None and player != CHANCE:
        found = table.find(state, depth)
        if found is not None:
            context.table_hits += 1
            # A node that is neither interior nor terminal counts as one that an evaluator valued.
            context.terminals += found[2]
            return found[0]
        unresolved = context.evaluations - 1
        best = _decision(state, player, depth, context)
        table.keep(state, depth, best, best, context.evaluations == unresolved)
        return best
    if player != CHANCE:
        return _decision(state, player, depth, context)
    outcomes = possible_outcomes(state)
    context.interior += 1
    context.nodes += len(outcomes)
    if context.nodes >= context.check_at:
        context.check()
    return _mean(state, outcomes, depth, context)


def _mean(state: Any, outcomes: Sequence[tuple[int, float]], depth: int, context: SearchContext) -> float:
    visit = context.visit or expectiminimax
    mean = 0.0
    for outcome, p in outcomes:
        mean += p * visit(state.child(outcome), depth, context)
    return mean


def _decision(state: Any, player: int, depth: int, context: SearchContext) -> float:
    context.interior += 1
    if player == SIMULTANEOUS:
        return context.joint(state, depth, context)
    if depth == 1 and context.leaves is not None:
        return best_leaf(context.leaves, state, player, context)
    replies = None
    if player == context.modelled and context.opponent is not None:
        replies = context.opponent.replies(state)
    actions = context.moves(state, player, depth) if replies is None else [action for action, _ in replies]
    context.nodes += len(actions)
    if context.nodes >= context.check_at:
        context.check()
    if replies is not None:
        return _mean(state, replies, depth - 1, context)
    visit = context.visit or expectiminimax
    children = map(state.child, actions)
    best = max if player == 0 else min
    if depth == 1 and context.visit is None:
        # This saves one call per leaf compared with the line below, and most nodes of a tree are leaves.
        return best(map(context.leaf, children))
    return best(map(visit, children, repeat(depth - 1), repeat(context)))
