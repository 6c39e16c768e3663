"""Computes the luck of a line of play according to an evaluator.

    luck = sum over the chance events of [ V(after the outcome) - sum_o p(o) V(after o) ]

Each term has mean zero given what went before, whatever V is, if it was fixed before the dice fell. So
a result less its luck has the same mean, and the better V predicts the result, the less variance. With
vectors of values that holds for every player's own.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, TypeVar

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.native_values import native_luck
from starspiel.agents.search.maxn import is_better
from starspiel.agents.search.vector_leaves import Vector, as_vector
from starspiel.envs.base import CHANCE, Game, possible_outcomes
from starspiel.envs.errors import EvaluatorError

T = TypeVar("T")


def luck_of(
    game: Game, state: Any, actions: Sequence[int], evaluator: Evaluator, before: Sequence[int] = ()
) -> float:
    """Player 0's luck in `actions`, which begin at `state`: what the dice gave, in return.

    Args:
        before: the actions that led to `state`, for messages.

    Raises EvaluatorError if the evaluator raises, or returns what is no finite number.
    """
    luck = 0.0
    for number, action in enumerate(actions):
        if state.current_player() == CHANCE:
            if (rest := native_luck(evaluator, game, state, actions[number:])) is not None:
                return luck + rest
            expected = got = 0.0
            history = (*before, *actions[:number])
            for outcome, probability in possible_outcomes(state):
                value = _value_with_dice(evaluator, state.child(outcome), game, (*history, outcome))
                expected += probability * value
                if outcome == action:
                    got = value
            luck += got - expected
        state = state.child(action)
    return luck


def lucks_of(
    game: Game, state: Any, actions: Sequence[int], evaluator: Evaluator, before: Sequence[int] = ()
) -> Vector:
    """Every player's luck, as `luck_of` has player 0's, in games whose values are vectors."""
    lucks = [0.0] * game.num_players
    for number, action in enumerate(actions):
        if state.current_player() == CHANCE:
            history = (*before, *actions[:number])
            for outcome, probability in possible_outcomes(state):
                values = _values_with_dice(evaluator, state.child(outcome), game, (*history, outcome))
                share = (outcome == action) - probability
                lucks = [luck + share * value for luck, value in zip(lucks, values, strict=True)]
        state = state.child(action)
    return tuple(lucks)


def _values_with_dice(evaluator: Evaluator, state: Any, game: Game, history: Sequence[int]) -> Vector:
    """What a state is worth to everybody when dice have just fallen: as the best successor to who moves."""
    player = state.current_player()
    if player < 0:
        return values_of(evaluator, state, game, history)
    best, *others = (
        values_of(evaluator, state.child(action), game, (*history, action))
        for action in state.legal_actions()
    )
    for values in others:
        if is_better(values[player], best[player]):
            best = values
    return best


def _value_with_dice(evaluator: Evaluator, state: Any, game: Game, history: Sequence[int]) -> float:
    """What a state is worth to player 0 when dice have just fallen. To whoever is to move, the best
    successor's value: an evaluator that does not see the dice sees what they can be used for."""
    player = state.current_player()
    if player < 0:
        return value_of(evaluator, state, game, history)
    values = (
        value_of(evaluator, state.child(action), game, (*history, action)) for action in state.legal_actions()
    )
    return max(values) if player == 0 else min(values)


def value_of(evaluator: Evaluator, state: Any, game: Game, history: Sequence[int]) -> float:
    """Player 0's return if the game is over, else what the evaluator says; `history` is for messages. Raises
    EvaluatorError, which begins with the evaluator's name, if it fails."""
    if state.is_terminal():
        return float(state.returns()[0])
    value = _asked(evaluator, state, game, history, float)
    if isfinite(value):
        return value
    raise _failed(evaluator, f"returned {value}, expected a finite number,", game, history)


def values_of(evaluator: Evaluator, state: Any, game: Game, history: Sequence[int]) -> Vector:
    """Every player's, as `value_of` has player 0's, in games whose values are vectors."""
    if state.is_terminal():
        return tuple(map(float, state.returns()))
    players = game.num_players
    values = _asked(evaluator, state, game, history, lambda returned: as_vector(returned, players))
    if values is not None and all(map(isfinite, values)):
        return values
    raise _failed(evaluator, f"returned no {players} finite numbers, one a player,", game, history)


def _asked(
    evaluator: Evaluator, state: Any, game: Game, history: Sequence[int], made: Callable[[Any], T]
) -> T:
    """What is made of the evaluator's answer."""
    try:
        return made(evaluator(state))
    except MemoryError:  # the worker's to answer, or Python's
        raise
    except Exception as error:
        raise _failed(evaluator, f"raised {type(error).__name__}: {error}", game, history) from None


def _failed(evaluator: Evaluator, problem: str, game: Game, history: Sequence[int]) -> EvaluatorError:
    return EvaluatorError(
        f"the evaluator {evaluator.name} {problem} in {game.name} after the actions "
        f"{','.join(map(str, history))}"
    )
