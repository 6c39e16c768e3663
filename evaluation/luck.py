"""Luck adjustment: the same expected result with less variance.

    X' = X - sum over the game's chance events of [ V(after the outcome) - sum_o p(o) V(after o) ]

The correction has mean zero for any V that was fixed before the games were played (each term is a
martingale difference), so X' estimates the same mean as X. The better V predicts the result, the less of the
dice is left in X'. A V chosen after seeing the games can be bent to any result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np

from starspiel.agents.evaluators import Evaluator
from starspiel.envs.base import CHANCE, Game


def game_luck(game: Game, actions: Sequence[int], evaluator: Evaluator, skip: int = 0) -> float:
    """Player 0's luck in a game: what the dice gave, in return, by the evaluator's lights.

    The first `skip` actions, a given start position, count for nothing.
    """
    state: Any = game.new_initial_state()
    luck = 0.0
    for number, action in enumerate(actions):
        if number >= skip and state.current_player() == CHANCE:
            expected = got = 0.0
            for outcome, probability in state.chance_outcomes():
                value = _value(evaluator, state.child(outcome))
                expected += probability * value
                if outcome == action:
                    got = value
            luck += got - expected
        state = state.child(action)
    return luck


def _value(evaluator: Evaluator, state: Any) -> float:
    return float(state.returns()[0] if state.is_terminal() else evaluator(state))


@dataclass(frozen=True)
class Adjusted:
    """Mean return per game of one agent against another, raw and with the luck taken out.

    Attributes:
        agents: indices of the agent and its opponent (of the agent alone in one-player games).
        pairs: how many pairs are behind it; those with a forfeit are left out.
        raw, raw_error: mean of the pairs' mean returns, and its standard error.
        adjusted, adjusted_error: the same, luck-adjusted.
    """

    agents: tuple[int, ...]
    pairs: int
    raw: float
    raw_error: float
    adjusted: float
    adjusted_error: float

    @property
    def variance_factor(self) -> float:
        """How many times fewer games the adjusted mean needs for the same interval; NaN where unknown."""
        return (self.raw_error / self.adjusted_error) ** 2 if self.adjusted_error else nan


def adjusted_mean(agents: tuple[int, ...], returns: Sequence[tuple[float, float]]) -> Adjusted:
    """From (raw, adjusted) mean returns of each pair."""
    raw, adjusted = np.asarray(returns, dtype=np.float64).reshape(-1, 2).T
    pairs = len(raw)
    if not pairs:
        return Adjusted(agents, 0, nan, nan, nan, nan)
    errors = [float(column.std(ddof=1)) / sqrt(pairs) if pairs > 1 else nan for column in (raw, adjusted)]
    return Adjusted(agents, pairs, float(raw.mean()), errors[0], float(adjusted.mean()), errors[1])
