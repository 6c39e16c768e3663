"""Values states by the native counterparts of evaluators, without a search."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, core_counterpart
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core, why_not_played
from starspiel.envs.base import Game, has_vector_values


def native_luck(evaluator: Evaluator, game: Game, state: Any, actions: Sequence[int]) -> float | None:
    """Returns player 0's luck in `actions`, which begin at the chance node `state`, as agents/luck.py defines
    it.

    Returns None if `native_values` is None for the state after the first action, and in games of vector
    values.
    """
    if has_vector_values(game):
        return None
    engine = _valuing(evaluator, game, state, state.child(actions[0]))
    luck: float | None = (
        None if engine is None else engine.luck(for_core(native_status().module, state), actions)
    )
    return luck


def native_values(evaluator: Evaluator, game: Game, state: Any) -> Callable[[Any], Any] | None:
    """Returns a function that values non-terminal states, from `state` on, by the evaluator's counterpart in
    the core.

    The values are vectors in games of vector values.

    Returns None if the core is not in use, does not support the game, or has no counterpart that depends on
    the position alone. It also returns None if the counterpart does not know the positions before chance has
    placed the pieces.
    """
    engine = _valuing(evaluator, game, state, state)
    if engine is None:
        return None
    core = native_status().module
    if has_vector_values(game):
        return lambda reached: tuple(engine.evaluate_all(for_core(core, reached)))
    return lambda reached: engine.evaluate(for_core(core, reached))


def _valuing(evaluator: Evaluator, game: Game, state: Any, begin: Any) -> Any | None:
    """Returns an engine that values states from `begin` on, a successor of `state` or itself; None if the
    core does not support them.
    """
    core = native_status().module
    if core is None or why_not_played(core, state, game) is not None:
        return None
    root = for_core(core, begin)
    counterpart = core_counterpart(evaluator, core, root, game)
    if counterpart is None:
        return None
    wide = (-math.inf, math.inf)
    off = core.Options(
        prune=False,
        probes=0,
        bounds=wide,
        value_range=wide,
        merge=False,
        order=False,
        table_bytes=0,
        maxn=has_vector_values(game),
    )
    try:
        engine = core.Engine(root, True, counterpart, off)
    except ValueError:  # the core has no heuristic before the pieces are placed
        return None
    return engine if engine.by_position else None
