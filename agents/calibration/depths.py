"""Provides `fit_depths`, which measures how values of chance nodes change with the depth of search."""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from starspiel.agents.calibration.fit import varies
from starspiel.agents.calibration.positions import sampled_position
from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.rollouts.continuation import Continuation, continuation_evaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import CHANCE, check_two_sided, possible_outcomes
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.spec import Spec

_LEAST, _MOST = 20, 10**9
#: The number of games in a row without a chance node after which the game is taken to have none.
_PATIENCE = 1000


def fit_depths(
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None,
    game: Any,
    depth: int,
    *,
    positions: int = 300,
    seed: int = 1,
    tell: Callable[[int, int], None] = lambda done, positions: None,
) -> tuple[DepthFit, ...]:
    """Returns how values change with depth, from 1 ply to 2 and so on up to `depth`, by least squares.

    Args:
        evaluator: an Evaluator, its spec, or a function of a state.
        game: anything that `load_game` accepts, for one player, or for two in turn with zero sum.
        positions: number of chance nodes, each from another game; most of them after a random move, since a
            search visits bad moves, too.
        tell: called after every position, with the number of positions done and their total number.

    Raises StarspielError if an argument is out of range, or if values do not change with depth, and
    UnsupportedGameError if the game is of another kind or has hardly any chance nodes.
    """
    played = load_game(game)
    check_two_sided(played, "fit_depths")
    depth = whole_number("the depth of depth fits", depth, 2, 64)
    count = whole_number("positions", positions, _LEAST, _MOST)
    root = seed_number(seed) or 0
    asked = as_evaluator(evaluator, played, root)
    players = Continuation(played, continuation_evaluator(played, "auto", root), depth=None, seed=root).make
    found: list[list[float]] = []
    for number in range(count * _PATIENCE):
        rng = random.Random(f"{root} {number} move")
        node = _after_a_move(sampled_position(played, players, root, number), rng)
        if node is not None:
            sign = 1.0 if node[1] == 0 else -1.0
            found.append([sign * _value(node[0], each, asked) for each in range(1, depth + 1)])
            tell(len(found), count)
        if len(found) == count:
            break
        if number >= _PATIENCE * (len(found) + 1):
            raise UnsupportedGameError(f"{played.name} has hardly any chance nodes to measure.")
    values = np.array(found).T
    return tuple(_fit(shallow, deep) for shallow, deep in pairwise(values))


def _fit(shallow: Any, deep: Any) -> DepthFit:
    slope, offset = np.polyfit(shallow, deep, 1) if varies(shallow) else (0.0, 0.0)
    error = float(np.sqrt(((deep - slope * shallow - offset) ** 2).sum() / (len(deep) - 2)))
    try:
        return DepthFit.of((slope, offset, error))
    except ValueError as wrong:
        raise StarspielError(
            f"values do not change with depth as ChanceProbCut needs it ({wrong}): take another evaluator."
        ) from None


def _after_a_move(state: Any, rng: random.Random) -> tuple[Any, int] | None:
    """Returns the chance node after a random move, or the state itself if it is one, and the player to move
    after its first outcome; None if there is no such node or player.
    """
    if state.current_player() >= 0:
        state = state.child(rng.choice(state.legal_actions()))
    if state.current_player() != CHANCE:
        return None
    first, _ = possible_outcomes(state)[0]
    player = state.child(first).current_player()
    return (state, player) if player >= 0 else None


def _value(state: Any, depth: int, evaluator: Evaluator) -> float:
    """Returns player 0's value of a position, searched `depth` decisions ahead."""
    if state.is_terminal():
        return float(state.returns()[0])
    if state.current_player() == CHANCE:
        outcomes = possible_outcomes(state)
        return sum(chance * _value(state.child(outcome), depth, evaluator) for outcome, chance in outcomes)
    limits = Limits(depth=depth)
    return search(state, "star2", limits, evaluator, exact_action_values=False, explain=False).value
