"""The evaluator that knows nothing: nothing more is to come."""

from typing import Any

from starspiel.envs.base import Game


class ZeroEvaluator:
    """0 everywhere; if rewards are paid on the way, what player 0 has collected so far."""

    name = "zero"
    by_position = True

    def __init__(self, game: Game) -> None:
        self._step_rewards = game.step_rewards
        self.range = None if game.step_rewards else (0.0, 0.0)

    def for_core(self, core: Any, state: Any, game: Game) -> Any:
        return core.Zero()

    def __call__(self, state: Any, /) -> float:
        return float(state.returns()[0]) if self._step_rewards else 0.0
