"""Measures the luck in games, so that results can be adjusted to the same mean with less variance.

    X' = X - sum over the game's chance events of [ V(after the outcome) - sum_o p(o) V(after o) ]

The correction has mean zero for any V that was fixed before the games were played (each term is a
martingale difference), so X' estimates the same mean as X. The better V predicts the result, the less luck
remains in X'. A V chosen after seeing the games can produce any result.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator, make_evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.luck import luck_of
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.evaluation.play.dice import derived_seed
from starspiel.evaluation.play.record import Luck

#: The luck evaluator of `auto` in games without a better one than `zero`, which would measure no luck.
_UNKNOWN = "rollout(n=10,depth=100)"


def luck_evaluator(game: Game, given: Any, seed: int | None) -> Evaluator:
    """Returns the luck evaluator for a given Evaluator, spec or function of a state.

    `auto` is the evaluator that searches use for the game, or `rollout(n=10,depth=100)` if that is `zero`.
    """
    evaluator = as_evaluator(given, game, seed)
    if str(given) == "auto" and isinstance(evaluator, ZeroEvaluator):
        return make_evaluator(_UNKNOWN, game, seed)
    return evaluator


def game_luck(game: Game, actions: Sequence[int], evaluator: Evaluator, skip: int = 0) -> Luck:
    """Returns player 0's luck in a game according to an evaluator, in utility units.

    In games whose values are vectors, it returns the luck of every player.

    The first `skip` actions, a start position, are not counted. An evaluator that draws random numbers is
    seeded by the actions before each chance event. Raises StarspielError if the evaluator fails.
    """
    state: Any = game.new_initial_state()
    for action in actions[:skip]:
        state = state.child(action)
    with _failures_explained():
        return luck_of(game, state, actions[skip:], evaluator, actions[:skip], _seeded(evaluator))


def lucks(game: Game, actions: Sequence[int], evaluator: Evaluator, skip: int = 0) -> list[Luck | None]:
    """Returns the luck of each action, as `game_luck` measures it; None for decisions and skipped actions."""
    state: Any = game.new_initial_state()
    found: list[Luck | None] = []
    with _failures_explained():
        for number, action in enumerate(actions):
            is_luck = number >= skip and state.current_player() == CHANCE
            before, by = actions[:number], _seeded(evaluator)
            found.append(luck_of(game, state, [action], evaluator, before, by) if is_luck else None)
            state = state.child(action)
    return found


def _seeded(evaluator: Evaluator) -> Callable[[Sequence[int]], Evaluator] | None:
    """Returns a function that seeds the evaluator by the actions so far; None if it is not random."""
    seeded = getattr(evaluator, "seeded", None)
    return None if seeded is None else lambda actions: seeded(derived_seed("luck", *actions))


@contextmanager
def _failures_explained() -> Iterator[None]:
    """A context that converts EvaluatorError to an error about luck."""
    try:
        yield
    except EvaluatorError as error:
        raise StarspielError(
            f"luck cannot be measured: {error}. Finished pairs are kept in the store, if there is one; use "
            "another evaluator, or none."
        ) from None
