"""Implements ChanceProbCut: cuts off a chance node whose value is likely to lie outside the window.

The value is predicted from that at one ply less by the evaluator's `DepthFit`.

Schadd, Winands & Uiterwijk, "ChanceProbCut: forward pruning in chance nodes", *IEEE CIG* 2009. They search
once for each end of the window; here one search serves both ends.
"""

from collections.abc import Callable
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, depth_fits_of
from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.agents.search.options import Options
from starspiel.envs.base import Game, has_vector_values, is_simultaneous, possible_outcomes
from starspiel.envs.errors import UnsupportedGameError

#: Tolerance of cut-offs, as in star.py.
_CUT_TOLERANCE = 1e-12

#: (the search, a chance node, depth, alpha, beta) -> alpha or beta if the value is likely to be beyond it, or
#: None.
ProbCut = Callable[[Callable[..., float], Any, int, float, float], float | None]


def margins(options: Options, evaluator: Evaluator) -> tuple[DepthFit, ...]:
    """Returns the evaluator's fits of depth 2, 3, ..., their errors times `probcut`; () if that is off."""
    margin = options.probcut
    if margin is None:
        return ()
    return tuple(fit._replace(error=margin * fit.error) for fit in depth_fits_of(evaluator))


def probcut(context: Any, fits: tuple[DepthFit, ...]) -> ProbCut:
    """Returns the function `SearchContext.probcut` for a search with these fits."""

    def cut(search: Callable[..., float], state: Any, depth: int, alpha: float, beta: float) -> float | None:
        if not 2 <= depth < len(fits) + 2:
            return None
        fit = fits[depth - 2]
        first, _ = possible_outcomes(state)[0]
        player = state.child(first).current_player()
        if player not in (0, 1):
            return None
        offset = fit.offset if player == 0 else -fit.offset
        low = (alpha - offset - fit.error) / fit.slope
        high = (beta - offset + fit.error) / fit.slope
        if low <= context.lower and high >= context.upper:
            return None
        visit, context.visit = context.visit, None
        try:
            value = search(state, depth - 1, low, high, context)
        finally:
            context.visit = visit
        if low + _CUT_TOLERANCE < value < high - _CUT_TOLERANCE:
            return None
        context.probcuts += 1
        context.cut_last = state
        return beta if value >= high - _CUT_TOLERANCE else alpha

    return cut


def check_probcut(options: Options, evaluator: Evaluator, game: Game) -> None:
    """Raises UnsupportedGameError if `probcut` is set and the search does not support it."""
    if options.probcut is None:
        return
    given = f"probcut={options.probcut:g}"
    if is_simultaneous(game) or has_vector_values(game):
        reason = f"{game.name} is searched without cuts by depth"
    elif options.sampling or not options.prunes:
        reason = f"{options.algorithm} does not cut chance nodes"
    elif options.opponent not in (None, "optimal"):
        reason = "values against a modelled opponent change with depth in another way"
    elif not depth_fits_of(evaluator):
        raise UnsupportedGameError(
            f"{given} needs an evaluator that knows how its values change with depth; {evaluator.name} in "
            f"{game.name} does not. Leave it out, or take a network (starspiel train) to whose file "
            'starspiel calibrate "net(file=…)" GAME --depth-fits 3 has added that.'
        )
    else:
        return
    raise UnsupportedGameError(f"{reason}; leave {given} out.")
