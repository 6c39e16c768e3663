"""Expectiminimax (Michie 1966): the value of a state by full-width search to a depth, with no pruning."""

from itertools import repeat
from typing import Any

from starspiel.agents.search.run import Run
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import CHANCE, TERMINAL, possible_outcomes


def expectiminimax(state: Any, depth: int, run: Run) -> float:
    """Player 0's expected return from `state` under best play for `depth` decision plies.

    States at the horizon, chance nodes included, are valued by the run's evaluator. A node counts its
    successors, all of which it visits; the caller counts `state` itself.
    """
    if depth == 0:
        return run.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return run.utility(state)
    successors: Any = possible_outcomes(state) if player == CHANCE else state.legal_actions()
    run.interior += 1
    run.nodes += len(successors)
    if run.nodes >= run.check_at:
        run.check()
    child = state.child
    if player == CHANCE:
        mean = 0.0
        for outcome, p in successors:
            mean += p * expectiminimax(child(outcome), depth, run)
        return mean
    best = max if player == 0 else min
    children = map(child, successors)
    if depth == 1:  # One call a leaf cheaper than the line below, and most of a tree is its leaves.
        return best(map(run.leaf, children))
    return best(map(expectiminimax, children, repeat(depth - 1), repeat(run)))


def expectiminimax_with_table(state: Any, depth: int, run: Run, table: IntervalTable) -> float:
    """What `expectiminimax` returns, up to rounding; a decision node found in the table is not searched."""
    if depth == 0:
        return run.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return run.utility(state)
    if player != CHANCE and (found := table.find(state, depth)) is not None:
        value, _, exact = found
        run.table_hits += 1
        # A node neither interior nor terminal counts as one that an evaluator valued.
        run.terminals += exact
        return value
    successors: Any = possible_outcomes(state) if player == CHANCE else state.legal_actions()
    run.interior += 1
    run.nodes += len(successors)
    if run.nodes >= run.check_at:
        run.check()
    child = state.child
    if player == CHANCE:
        mean = 0.0
        for outcome, p in successors:
            mean += p * expectiminimax_with_table(child(outcome), depth, run, table)
        return mean
    unresolved = run.evaluations - len(successors)
    values = [expectiminimax_with_table(child(action), depth - 1, run, table) for action in successors]
    best = max(values) if player == 0 else min(values)
    table.keep(state, depth, best, best, run.evaluations == unresolved)
    return best
