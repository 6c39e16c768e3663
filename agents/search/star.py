"""Searches by Star1 and Star2 (Ballard 1983): expectiminimax with cut-offs at decision and chance nodes.

This is the version of Hauk, Buro & Schaeffer 2004, generalised: outcomes may have any probabilities, and the
successors of a chance node may belong to either player, or be chance nodes or terminal. Values are fail-soft:
a value inside the window is exact, one at or below alpha is an upper bound on the true value, and one at or
above beta is a lower bound.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Any

from starspiel.agents.search.context import SearchContext, best_leaf
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import CHANCE, SIMULTANEOUS, TERMINAL, possible_outcomes

#: Tolerance of cut-offs: in floating point, a sum of probabilities that should be 1 differs from it by a few
#: 1e-17.
CUT_TOLERANCE = 1e-12


def star(state: Any, depth: int, alpha: float, beta: float, context: SearchContext) -> float:
    """Returns player 0's expected return from `state`, searched to `depth` decision plies in (alpha, beta).

    The context's `probe_moves` is the number of moves of each successor that a chance node tries before it
    searches any in full: 0 is Star1, 1 is Star2, more is Ballard's Star2.5. If no finite bounds are known,
    chance nodes do not prune.
    """
    context.nodes += 1
    if context.nodes >= context.check_at:
        context.check()
    if depth == 0:
        return context.leaf(state)
    player = state.current_player()
    if player == TERMINAL:
        return context.utility(state)
    table = context.table
    if table is None:
        return _search(state, player, depth, alpha, beta, context)
    known = _known(table, state, depth, alpha, beta, context)
    if known is not None:
        return known
    evaluations = context.evaluations - 1
    value = _search(state, player, depth, alpha, beta, context)
    low = -math.inf if value <= alpha + CUT_TOLERANCE else value
    high = math.inf if value >= beta - CUT_TOLERANCE else value
    table.keep(state, depth, low, high, context.evaluations == evaluations)
    return value


def _known(
    table: IntervalTable, state: Any, depth: int, alpha: float, beta: float, context: SearchContext
) -> float | None:
    """Returns a node's value or bound in the table if that is enough for the window, else None."""
    found = table.find(state, depth)
    if found is None:
        return None
    low, high, exact = found
    settled = high - low <= CUT_TOLERANCE
    if not (settled or low >= beta - CUT_TOLERANCE or high <= alpha + CUT_TOLERANCE):
        return None
    context.table_hits += 1
    # A node that is neither interior nor terminal counts as one that an evaluator valued.
    context.terminals += exact
    return low if settled or low >= beta - CUT_TOLERANCE else high


def _search(state: Any, player: int, depth: int, alpha: float, beta: float, context: SearchContext) -> float:
    context.interior += 1
    if player == CHANCE:
        if context.bounded:
            likely = context.probcut and context.probcut(star, state, depth, alpha, beta)
            if likely is not None:
                return likely
            return _star_chance(state, possible_outcomes(state), depth, alpha, beta, context)
        return _mean(state, possible_outcomes(state), depth, context)
    if player == SIMULTANEOUS:
        return context.joint(state, depth, alpha, beta, context)
    if depth == 1 and context.leaves is not None:
        return best_leaf(context.leaves, state, player, context)
    if player == context.modelled:
        return _modelled(state, depth, alpha, beta, context)
    actions = context.moves(state, player, depth)
    if player == 0:
        return _maximise(state, actions, depth, alpha, beta, context)
    return _minimise(state, actions, depth, alpha, beta, context)


def _mean(state: Any, outcomes: Sequence[tuple[int, float]], depth: int, context: SearchContext) -> float:
    """Returns the mean of the outcomes' values, each searched to `depth` in full."""
    visit = context.visit or star
    mean = 0.0
    for outcome, p in outcomes:
        mean += p * visit(state.child(outcome), depth, -math.inf, math.inf, context)
    return mean


def _modelled(state: Any, depth: int, alpha: float, beta: float, context: SearchContext) -> float:
    """Returns the value of a decision node whose player moves by a policy, pruned like a chance node."""
    opponent = context.opponent
    assert opponent is not None
    replies = opponent.replies(state)
    if context.bounded:
        return _star_chance(state, replies, depth - 1, alpha, beta, context)
    return _mean(state, replies, depth - 1, context)


def _maximise(
    state: Any, actions: Sequence[int], depth: int, alpha: float, beta: float, context: SearchContext
) -> float:
    best = -math.inf
    last = len(actions) - 1
    visit = context.visit or star
    for i, action in enumerate(actions):
        value = visit(state.child(action), depth - 1, alpha, beta, context)
        if value > best:
            best = value
            if best >= beta - CUT_TOLERANCE:
                context.decision_cutoffs += i < last
                return best
            alpha = max(alpha, best)
    return best


def _minimise(
    state: Any, actions: Sequence[int], depth: int, alpha: float, beta: float, context: SearchContext
) -> float:
    best = math.inf
    last = len(actions) - 1
    visit = context.visit or star
    for i, action in enumerate(actions):
        value = visit(state.child(action), depth - 1, alpha, beta, context)
        if value < best:
            best = value
            if best <= alpha + CUT_TOLERANCE:
                context.decision_cutoffs += i < last
                return best
            beta = min(beta, best)
    return best


def _star_chance(
    state: Any,
    outcomes: Sequence[tuple[int, float]],
    depth: int,
    alpha: float,
    beta: float,
    context: SearchContext,
) -> float:
    """Returns the mean of the outcomes' values, each searched to `depth`."""
    chances = [p for _, p in outcomes]
    lower, upper, slack = context.lower, context.upper, context.slack
    # Step 1. Each outcome's value lies in [low, high], so the mean lies between the means of the bounds.
    lows = [lower] * len(outcomes)
    highs = [upper] * len(outcomes)
    children: list[Any] = [None] * len(outcomes)
    if context.table is not None:
        children = [state.child(outcome) for outcome, _ in outcomes]
        for i, child in enumerate(children):
            found = None if child.is_terminal() else context.table.find(child, depth)
            if found is not None:
                low, high, exact = found
                # Its bounds are used, so it counts as a node visited and answered by the table.
                context.nodes += 1
                context.terminals += exact
                lows[i], highs[i] = max(lower, low), min(upper, high)
    rest_low, rest_high = _rests(chances, lows), _rests(chances, highs)
    if rest_low[0] >= beta - CUT_TOLERANCE:
        context.chance_cutoffs += 1
        return rest_low[0]
    if rest_high[0] <= alpha + CUT_TOLERANCE:
        context.chance_cutoffs += 1
        return rest_high[0]

    # Step 2. Star2: the value of one move of a successor bounds the successor's value on its player's side.
    # Enough such bounds cut off the node. Replies at the horizon have no moves that count. The moves of a
    # modelled player do not bound the value, nor do moves on the last ply that filters may leave out.
    probes = context.probe_moves
    if probes and depth > (context.last is not None):
        sum_low = sum_high = 0.0  # sums over the outcomes before this one
        for i, (outcome, p) in enumerate(outcomes):
            child = children[i] = children[i] or state.child(outcome)
            player = child.current_player()
            if player == context.modelled:
                player = CHANCE
            if player == 0:
                ceiling = min(upper + slack, (beta - (sum_low + rest_low[i + 1])) / p)
                moves = context.moves(child, player, depth)[:probes]
                bound = _maximise(child, moves, depth, lower - slack, ceiling, context)
                lows[i] = max(lows[i], bound)
            elif player == 1:
                floor = max(lower - slack, (alpha - (sum_high + rest_high[i + 1])) / p)
                moves = context.moves(child, player, depth)[:probes]
                bound = _minimise(child, moves, depth, floor, upper + slack, context)
                highs[i] = min(highs[i], bound)
            sum_low += p * lows[i]
            sum_high += p * highs[i]
            if player < 0:
                continue
            context.probes += 1
            low, high = sum_low + rest_low[i + 1], sum_high + rest_high[i + 1]
            if low >= beta - CUT_TOLERANCE or high <= alpha + CUT_TOLERANCE:
                context.probes_won += 1
                context.chance_cutoffs += 1
                return low if low >= beta - CUT_TOLERANCE else high
        rest_low, rest_high = _rests(chances, lows), _rests(chances, highs)

    # Step 3. Star1: search each outcome with the window outside which the mean leaves (alpha, beta). The
    # values searched are summed separately from the bounds of the rest: adding and subtracting a wide bound
    # would leave its rounding error in the value.
    searched = 0.0
    last = len(outcomes) - 1
    visit = context.visit or star
    for i, (outcome, p) in enumerate(outcomes):
        child = children[i] or state.child(outcome)
        floor = (alpha - (searched + rest_high[i + 1])) / p
        ceiling = (beta - (searched + rest_low[i + 1])) / p
        value = visit(child, depth, max(floor, lows[i] - slack), min(ceiling, highs[i] + slack), context)
        if value >= ceiling - CUT_TOLERANCE:
            context.chance_cutoffs += i < last
            # At least beta, since a rounding error into the window would make the bound look exact.
            return max(beta - CUT_TOLERANCE, searched + p * max(value, lows[i]) + rest_low[i + 1])
        if value <= floor + CUT_TOLERANCE:
            context.chance_cutoffs += i < last
            return min(alpha + CUT_TOLERANCE, searched + p * min(value, highs[i]) + rest_high[i + 1])
        searched += p * value
    return searched


def _rests(chances: Sequence[float], bounds: Sequence[float]) -> list[float]:
    """Returns, for each outcome i, the sum of probability times bound over the outcomes from i on; then 0."""
    rests = list(accumulate(map(mul, reversed(chances), reversed(bounds)), initial=0.0))
    rests.reverse()
    return rests
