"""Adapts evaluators to OpenSpiel's `mcts.Evaluator`, for its MCTS in Python and its AlphaZero."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_spiel.python.algorithms import mcts

from starspiel.agents.evaluators.base import Evaluator, batch_values
from starspiel.agents.evaluators.native_values import native_values
from starspiel.envs.base import CHANCE, Game, has_vector_values
from starspiel.envs.errors import EvaluatorError, shown
from starspiel.envs.load import searchable


class MCTSEvaluator(mcts.Evaluator):  # type: ignore[misc]  # open_spiel has no type hints
    """An `open_spiel.python.algorithms.mcts.Evaluator` with the values of one of our evaluators.

    Args:
        evaluator: values states, as player 0's expected return or as every player's.
        game: the game to play.
        temperature: in utility units. The prior of an action is proportional to exp(value of its successor
            for the player to move / temperature). Without one, all legal actions are equally likely.

    Attributes:
        evaluator, temperature: the arguments.
    """

    def __init__(self, evaluator: Evaluator, game: Game, temperature: float | None = None) -> None:
        self.evaluator, self.temperature = evaluator, temperature
        self._game, self._is_vector = game, has_vector_values(game)
        self._value: Callable[[Any], float] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_value": None}

    def evaluate(self, state: Any) -> NDArray[np.float64]:
        """Returns every player's expected return, by seat; the returns of a finished game."""
        if state.is_terminal():
            return np.array(state.returns(), dtype=np.float64)
        state = searchable(state)
        if self._value is None:  # the native counterpart, if there is one once the pieces are placed
            native = native_values(self.evaluator, self._game, state)
            self._value = native or (None if state.current_player() == CHANCE else self.evaluator)
        value = (self._value or self.evaluator)(state)
        players = self._game.num_players
        if self._is_vector:
            vector = np.array(value, dtype=np.float64)
            if vector.shape != (players,) or not np.isfinite(vector).all():
                raise EvaluatorError(
                    f"{self.evaluator.name} returned {shown(value)}; expected {players} finite numbers, one "
                    "return a player."
                )
            return vector
        value = float(value)
        if not math.isfinite(value):
            raise EvaluatorError(f"{self.evaluator.name} returned {value}; expected a finite number.")
        return np.array([value, -value][:players])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Returns (action, probability) for every legal action; at a chance node, (outcome, probability)."""
        if state.current_player() == CHANCE:
            outcomes: list[tuple[int, float]] = state.chance_outcomes()
            return outcomes
        actions = state.legal_actions()
        if self.temperature is None or len(actions) == 1:
            return [(action, 1.0 / len(actions)) for action in actions]
        worth = self._values([state.child(action) for action in actions], state.current_player())
        worth /= self.temperature
        weights = np.exp(worth - worth.max())
        return list(zip(actions, (weights / weights.sum()).tolist(), strict=True))

    def _values(self, states: list[Any], player: int) -> NDArray[np.float64]:
        """Returns the player's expected return in each state, valuing them together if the evaluator can."""
        many = batch_values(self.evaluator)
        if many is None:
            return np.array([self.evaluate(state)[player] for state in states])
        values = np.array([state.returns()[player] if state.is_terminal() else 0.0 for state in states])
        asked = [index for index, state in enumerate(states) if not state.is_terminal()]
        if asked:
            found = np.array(many([searchable(states[index]) for index in asked]), dtype=np.float64)
            values[asked] = found[:, player] if self._is_vector else found if player == 0 else -found
        return values
