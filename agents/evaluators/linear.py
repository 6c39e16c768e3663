"""The evaluator `linear`: a linear function of OpenSpiel's observation tensor."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyspiel

from starspiel.envs.arguments import finite_number
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.openspiel.game import OpenSpielGame


class LinearEvaluator:
    """bias + weights . (player 0's observation tensor), clipped to `range`, (least, greatest).

    Raises StarspielError if a weight or the bias is not finite, or a state's tensor has another length.
    """

    by_position = True

    def __init__(
        self,
        weights: Iterable[float],
        bias: float = 0.0,
        range: tuple[float, float] = (-1.0, 1.0),
        name: str = "linear",
    ) -> None:
        try:
            self.weights = tuple(finite_number("a weight", weight) for weight in weights)
            low, high = (finite_number("an end of the range", end) for end in range)
        except (TypeError, ValueError) as error:
            why = str(error) if isinstance(error, SpecError) else "expected numbers, and a range of two."
            raise SpecError(f"{name}: {why}") from None
        if low > high:
            raise SpecError(f"{name}: the range must be (least, greatest), got {shown(range)}.")
        self.bias = finite_number(f"{name}: bias", bias)
        self.range = low, high
        self.name = name

    def check(self, length: int) -> None:
        """Raises StarspielError if the observations of a game are not as long as the weights."""
        if length != len(self.weights):
            raise StarspielError(
                f"{self.name} has {len(self.weights)} weights, but the observation has {length} entries."
            )

    def for_core(self, core: Any, state: Any, game: Game) -> Any | None:
        if not isinstance(state, pyspiel.State):
            return None
        if not state.get_game().get_type().provides_observation_tensor:
            raise StarspielError(f"{game.name} has no observation tensor for {self.name}.")
        self.check(state.get_game().observation_tensor_size())
        return core.Linear(self.weights, self.bias, self.range)

    def __call__(self, state: Any, /) -> float:
        observation = state.observation_tensor(0)
        self.check(len(observation))
        # Added one by one like the native engine: sum() rounds differently since Python 3.12.
        value = self.bias
        for weight, entry in zip(self.weights, observation, strict=True):
            value += weight * entry
        return min(max(value, self.range[0]), self.range[1])


def linear_from_file(
    game: Game, file: str, bias: float = 0.0, low: float | None = None, high: float | None = None
) -> LinearEvaluator:
    """The evaluator `linear(file=weights.npy,bias=0.1)`, of weights that `numpy.save` wrote.

    `low` and `high` are its range; by default the game's utility range. Raises StarspielError if the file
    holds something else, or no range is known.
    """
    if not isinstance(file, str):
        raise SpecError(f"linear: file must name a file that numpy.save wrote, got {shown(file)}.")
    for name, value in (("bias", bias), ("low", low), ("high", high)):
        if value is not None:
            finite_number(f"linear: {name}", value)
    try:
        weights = np.load(file, allow_pickle=False)
    except OSError as error:
        raise SpecError(f"cannot read the weights {file}: {error.strerror or error}.") from None
    except (EOFError, MemoryError, TypeError, ValueError):
        raise SpecError(f"expected weights written by numpy.save in {file}.") from None
    if not isinstance(weights, np.ndarray) or weights.ndim != 1 or weights.dtype.kind not in "fiu":
        raise SpecError(
            f"expected a one-dimensional array of numbers in {file}, one for each observation entry."
        )
    if has_vector_values(game):
        raise SpecError(
            f"linear values games for one player and zero-sum games for two, not {game.name}, where each "
            "player has a value; use heuristic, rollout, zero or a BatchEvaluator."
        )
    observed = game.pyspiel_game if isinstance(game, OpenSpielGame) else None
    if observed is None or not observed.get_type().provides_observation_tensor:
        raise SpecError(f"{game.name} has no observation tensor for linear.")
    known = game.utility_range or (None, None)
    low, high = known[0] if low is None else low, known[1] if high is None else high
    if low is None or high is None:
        raise SpecError(f"the values of {game.name} have no known range: give linear(...) low and high.")
    made = LinearEvaluator(weights, bias, (low, high), f"linear(file={file})")
    made.check(observed.observation_tensor_size())
    return made
