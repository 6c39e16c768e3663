"""Luck adjustment: the same expected result with less variance.

    X' = X - sum over the game's chance events of [ V(after the outcome) - sum_o p(o) V(after o) ]

The correction has mean zero for any V that was fixed before the games were played (each term is a
martingale difference), so X' estimates the same mean as X. The better V predicts the result, the less of the
dice is left in X'. Where the dice have fallen and somebody is to move, V is the evaluator's value of the best
successor. A V chosen after seeing the games can be bent to any result.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator, make_evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.luck import luck_of
from starspiel.agents.means import margin, mean_and_error
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.evaluation.play.dice import derived_seed
from starspiel.evaluation.statistics.means import log_variance_ratio_error, mean_margin

#: What `auto` measures luck with in games that nothing is known of: the zero evaluator sees no luck at all.
_UNKNOWN = "rollout(n=10,depth=100)"


def luck_evaluator(game: Game, given: Any, seed: int | None) -> Evaluator:
    """What luck is measured with: an Evaluator, its spec, or a function of a state.

    `auto` is what searches take for the game; where that is zero, `rollout(n=10,depth=100)`.

    Raises SpecError where the spec names nothing.
    """
    evaluator = as_evaluator(given, game, seed)
    if str(given) == "auto" and isinstance(evaluator, ZeroEvaluator):
        return make_evaluator(_UNKNOWN, game, seed)
    return evaluator


def game_luck(game: Game, actions: Sequence[int], evaluator: Evaluator, skip: int = 0) -> float:
    """Player 0's luck in a game: what the dice gave, in return, according to an evaluator.

    The first `skip` actions, a given start position, count for nothing. An evaluator that draws random
    numbers, one with a method `seeded(seed)`, is seeded by the actions: whoever asks gets the same luck.

    Raises StarspielError where the evaluator raises, or returns what is no finite number.
    """
    state: Any = game.new_initial_state()
    for action in actions[:skip]:
        state = state.child(action)
    with _explained():
        return luck_of(game, state, actions[skip:], _seeded(evaluator, actions), actions[:skip])


def lucks(game: Game, actions: Sequence[int], evaluator: Evaluator, skip: int = 0) -> list[float | None]:
    """Luck event by event: for each action player 0's luck in it, None where it is no chance event."""
    state: Any = game.new_initial_state()
    evaluator = _seeded(evaluator, actions)
    found: list[float | None] = []
    for number, action in enumerate(actions):
        luck = None
        if number >= skip and state.current_player() == CHANCE:
            with _explained():
                luck = luck_of(game, state, [action], evaluator, actions[:number])
        found.append(luck)
        state = state.child(action)
    return found


def _seeded(evaluator: Evaluator, actions: Sequence[int]) -> Evaluator:
    seeded = getattr(evaluator, "seeded", None)
    return evaluator if seeded is None else seeded(derived_seed("luck", *actions))


@contextmanager
def _explained() -> Iterator[None]:
    """Says of an evaluator's error what it means for whoever measures luck."""
    try:
        yield
    except EvaluatorError as error:
        raise StarspielError(
            f"luck cannot be measured: {error}. Finished pairs are kept in the store, if there is one; use "
            "another evaluator, or none."
        ) from None


@dataclass(frozen=True)
class Adjusted:
    """Mean return per game of one agent against another, raw and with the luck taken out.

    Attributes:
        agents: indices of the agent and its opponent (of the agent alone in one-player games).
        pairs: how many pairs are behind it.
        left_out: how many are not, for a forfeit in them.
        raw, raw_error, raw_margin: mean of the pairs' mean returns, its standard error, and half the width of
            its 95 % interval by `mean_interval`; NaN where the pairs are too few, or too much alike, to know.
        adjusted, adjusted_error, adjusted_margin: the same, luck-adjusted.
        log_factor_error: the standard error of the logarithm of `variance_factor`; NaN where unknown.
    """

    agents: tuple[int, ...]
    pairs: int
    left_out: int
    raw: float
    raw_error: float
    raw_margin: float
    adjusted: float
    adjusted_error: float
    adjusted_margin: float
    log_factor_error: float

    @property
    def variance_factor(self) -> float:
        """How many times fewer games the adjusted mean needs for the same interval; NaN where unknown."""
        return (self.raw_error / self.adjusted_error) ** 2

    @property
    def variance_factor_interval(self) -> tuple[float, float]:
        """Low and high of the 95 % interval of `variance_factor`, by the delta method; NaN where unknown."""
        around = exp(margin(self.log_factor_error, self.pairs))
        return self.variance_factor / around, self.variance_factor * around


def adjusted_mean(
    agents: tuple[int, ...], returns: Sequence[tuple[float, float]], left_out: int = 0
) -> Adjusted:
    """From (raw, adjusted) mean returns of each pair."""
    columns = np.asarray(returns, dtype=np.float64).reshape(-1, 2).T
    raw, adjusted = ((*mean_and_error(column), mean_margin(column)) for column in columns)
    return Adjusted(agents, len(returns), left_out, *raw, *adjusted, log_variance_ratio_error(*columns))
