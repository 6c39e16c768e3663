"""Adapts OpenSpiel's MCTS evaluators, such as random rollouts and AlphaZero's networks."""

from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL, Game, has_vector_values, possible_outcomes
from starspiel.envs.errors import EvaluatorError, SpecError, shown
from starspiel.envs.openspiel.counterpart import pyspiel_game, pyspiel_state

#: OpenSpiel's evaluator that can value chance nodes itself.
_ROLLOUTS = "RandomRolloutEvaluator"


class OpenSpielEvaluator:
    """Values states by an `mcts.Evaluator`, for player 0, or for every player if values are vectors.

    Args:
        asks_at_chance: whether to call it at chance nodes, too. Otherwise their value is the mean over the
            outcomes. By default only RandomRolloutEvaluator is called there: AlphaZero's sees decisions only.
        name: the name that results show; by default that of its class.

    Raises SpecError for a C++ evaluator, which Python cannot call, and UnsupportedGameError unless the game
    is OpenSpiel's.
    """

    range = None
    by_position = False

    def __init__(
        self, game: Game, evaluator: Any, *, asks_at_chance: bool | None = None, name: str | None = None
    ) -> None:
        if isinstance(evaluator, pyspiel.Evaluator):
            raise SpecError(
                "an evaluator of pyspiel's can be asked from C++ only; take rollout, or that of "
                "open_spiel.python.algorithms.mcts."
            )
        kind = type(evaluator).__name__
        self.evaluator, self.name = evaluator, name or kind
        self.asks_at_chance = kind == _ROLLOUTS if asks_at_chance is None else asks_at_chance
        self._game = pyspiel_game(game)
        #: The number of values needed, starting with player 0's.
        self._wanted = game.num_players if has_vector_values(game) else 1

    def __call__(self, state: Any, /) -> float | tuple[float, ...]:
        values = self._values(state)
        return values if self._wanted > 1 else values[0]

    def _values(self, state: Any) -> tuple[float, ...]:
        player = state.current_player()
        if player == TERMINAL:
            return tuple(map(float, state.returns()[: self._wanted]))
        if player == CHANCE and not self.asks_at_chance:
            mean = [0.0] * self._wanted
            for outcome, chance in possible_outcomes(state):
                below = self._values(state.child(outcome))
                mean = [so_far + chance * value for so_far, value in zip(mean, below, strict=True)]
            return tuple(mean)
        values = self.evaluator.evaluate(pyspiel_state(self._game, state))
        try:
            return tuple(float(values[player]) for player in range(self._wanted))
        except (IndexError, TypeError, ValueError):
            raise EvaluatorError(
                f"{self.name}.evaluate returned {shown(values)}; expected every player's value."
            ) from None
