"""Provides the evaluator `zero`, which expects no returns to come."""

from typing import Any

from starspiel.envs.base import Game, has_vector_values, utility_sum


class ZeroEvaluator:
    """0 everywhere; if rewards are paid on the way, what player 0 has collected so far.

    In games whose values are vectors, each player gets an equal share of the sum of all returns, if that is
    known.
    """

    name = "zero"
    by_position = True

    def __init__(self, game: Game) -> None:
        self._step_rewards = game.step_rewards
        self._shares: tuple[float, ...] | None = None
        if has_vector_values(game):
            total = utility_sum(game)
            self._shares = ((total or 0.0) / game.num_players,) * game.num_players
            self.constant_sum = total is not None and not game.step_rewards
        share = 0.0 if self._shares is None else self._shares[0]
        self.range = None if game.step_rewards else (share, share)

    def for_core(self, core: Any, state: Any, game: Game) -> Any:
        # The core's counterpart is 0 for every player.
        return core.Zero() if self._shares is None or not any(self._shares) else None

    def __call__(self, state: Any, /) -> Any:
        if self._shares is not None:
            return state.returns() if self._step_rewards else self._shares
        return float(state.returns()[0]) if self._step_rewards else 0.0
