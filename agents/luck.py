"""Computes the luck of a line of play according to an evaluator.

    luck = sum over the chance events of [ V(after the outcome) - sum_o p(o) V(after o) ]

Each term has mean zero given the past, for any V that was fixed before the dice fell. So a result minus its
luck has the same mean as the result. The better V predicts the result, the lower the variance. If values are
vectors, this holds for every component.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.native_values import native_luck
from starspiel.agents.search.maxn import is_better
from starspiel.agents.search.vector_leaves import Vector, as_vector
from starspiel.envs.base import CHANCE, Game, has_vector_values, possible_outcomes
from starspiel.envs.errors import EvaluatorError


def luck_of(
    game: Game,
    state: Any,
    actions: Sequence[int],
    evaluator: Evaluator,
    before: Sequence[int] = (),
    seeded_by: Callable[[Sequence[int]], Evaluator] | None = None,
) -> float | Vector:
    """Returns player 0's luck in the line `actions` from `state`, in utility units.

    In games whose values are vectors, returns every player's luck.

    Args:
        before: the actions that led to `state`.
        seeded_by: returns the evaluator for a chance event, seeded by the actions before it; by default it is
            `evaluator`. A seed that depended on the outcome, or on later ones, would bias the luck.

    Raises EvaluatorError if the evaluator raises, or returns anything but finite numbers.
    """
    if has_vector_values(game):
        return _lucks_of(game, state, actions, evaluator, before, seeded_by)
    luck = 0.0
    for number, action in enumerate(actions):
        if state.current_player() == CHANCE:
            if (rest := native_luck(evaluator, game, state, actions[number:])) is not None:
                return luck + rest
            expected = got = 0.0
            history = (*before, *actions[:number])
            by = evaluator if seeded_by is None else seeded_by(history)
            for outcome, probability in possible_outcomes(state):
                value = _value_with_dice(by, state.child(outcome), game, (*history, outcome))
                expected += probability * value
                if outcome == action:
                    got = value
            luck += got - expected
        state = state.child(action)
    return luck


def _lucks_of(
    game: Game,
    state: Any,
    actions: Sequence[int],
    evaluator: Evaluator,
    before: Sequence[int],
    seeded_by: Callable[[Sequence[int]], Evaluator] | None,
) -> Vector:
    lucks = [0.0] * game.num_players
    for number, action in enumerate(actions):
        if state.current_player() == CHANCE:
            history = (*before, *actions[:number])
            by = evaluator if seeded_by is None else seeded_by(history)
            for outcome, probability in possible_outcomes(state):
                values = _value_with_dice(by, state.child(outcome), game, (*history, outcome))
                share = (outcome == action) - probability
                lucks = [luck + share * value for luck, value in zip(lucks, values, strict=True)]
        state = state.child(action)
    return tuple(lucks)


def _value_with_dice(evaluator: Evaluator, state: Any, game: Game, history: Sequence[int]) -> Any:
    """Returns the value of a state after a throw of the dice: at a decision node, that of the best successor
    for the player to move, so that the evaluator need not see the dice.
    """
    player = state.current_player()
    if player < 0:
        return value_of(evaluator, state, game, history)
    values = [
        value_of(evaluator, state.child(action), game, (*history, action)) for action in state.legal_actions()
    ]
    if not has_vector_values(game):
        return max(values) if player == 0 else min(values)
    best = values[0]
    for vector in values[1:]:
        if is_better(vector[player], best[player]):
            best = vector
    return best


def value_of(evaluator: Evaluator, state: Any, game: Game, history: Sequence[int]) -> Any:
    """Returns player 0's return if the game is over, else the evaluator's value; `history` is for messages.

    In games whose values are vectors, returns every player's. Raises EvaluatorError if the evaluator fails.
    """
    players = game.num_players if has_vector_values(game) else 1
    if state.is_terminal():
        returns = tuple(map(float, state.returns()))
        return returns if players > 1 else returns[0]
    try:
        returned = evaluator(state)
        values = as_vector(returned, players) if players > 1 else (float(returned),)
    except MemoryError:  # for the worker, or Python, to handle
        raise
    except Exception as error:
        raise _failed(evaluator, f"raised {type(error).__name__}: {error}", game, history) from None
    if values is not None and all(map(isfinite, values)):
        return values if players > 1 else values[0]
    one = f"{float(returned)}, expected a finite number," if players == 1 else ""
    said = one or f"something else than {players} finite numbers, one per player,"
    raise _failed(evaluator, f"returned {said}", game, history)


def _failed(evaluator: Evaluator, problem: str, game: Game, history: Sequence[int]) -> EvaluatorError:
    return EvaluatorError(
        f"the evaluator {evaluator.name} {problem} in {game.name} after the actions "
        f"{','.join(map(str, history))}"
    )
