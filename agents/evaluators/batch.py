"""An external network: any function from arrays of inputs to values, asked for many positions at once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.agents.evaluators.base import function_name
from starspiel.agents.evaluators.positions import rows_of, values_of
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, shown
from starspiel.envs.load import load_game

#: What takes rows of inputs, (n, features), and returns n values of the player about to act.
Function = Callable[[NDArray[np.float32]], Any]


class BatchEvaluator:
    """Values positions by a function over arrays: player 0's expected return.

    The searches hand it all successors of a position at once, and the native one encodes them in C++.
    Positions that the encoder does not see are searched on to those that it does.

    Args:
        function: takes a float32 array of shape (n, features) and returns n floats, of shape (n,) or (n, 1):
            the expected return of the player about to act in each.
        encoder: what a row tells of a position: the name of a game, or the game, for its own encoder, or an
            Encoder.
        range: (least, greatest) value; by default the game's utility range.
        by_position: whether equal rows get equal values, so that tables, merging and ordering may be used.

    Raises EvaluatorError if the game has no encoder, and, when it is asked, if the function fails or returns
    something else.
    """

    def __init__(
        self,
        function: Function,
        encoder: Encoder | Game | str,
        *,
        name: str | None = None,
        range: tuple[float, float] | None = None,
        by_position: bool = True,
    ) -> None:
        self.name = function_name(function, name, "an array of shape (n, features)")
        self.function, self.range, self.by_position = function, range, by_position
        self.encoder, self.game = _encoder(encoder)

    def for_core(self, core: Any, state: Any, game: Game) -> Any | None:
        """The function over rows that the core encodes, if it has this encoder of the game."""
        own, units = encoder_of(game), self.encoder.units
        if own is None or type(own) is not type(self.encoder) or not np.array_equal(own.units, units):
            return None
        return core.Arrays(self.own_values, len(units)) if core.encoder_inputs(state) == len(units) else None

    def __call__(self, state: Any, /) -> float:
        return self.batch_values([state])[0]

    def batch_values(self, states: Sequence[Any], /) -> list[float]:
        """Player 0's value of each state, by one call of the function."""

        def own_values(seen: list[Any]) -> list[float]:
            values: list[float] = self.own_values(rows_of(self.encoder, seen)).tolist()
            return values

        return values_of(states, self.encoder, own_values)

    def own_values(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The function's values of some rows, (n,). Raises EvaluatorError if it returns something else."""
        count = len(rows)
        try:
            returned = self.function(rows)
            values = np.asarray(returned)
        except Exception as error:
            raise EvaluatorError(
                f"evaluator {self.name} raised {type(error).__name__}: {error} for an array of shape "
                f"{rows.shape}"
            ) from error
        if values.dtype.kind != "f":
            got = f"an array of {values.dtype}" if hasattr(returned, "dtype") else shown(returned)
            raise EvaluatorError(
                f"evaluator {self.name} returned {got}; expected floats, one a row, of shape ({count},), for "
                f"an array of shape {rows.shape}"
            )
        if values.shape not in ((count,), (count, 1)):
            raise EvaluatorError(
                f"evaluator {self.name} returned an array of shape {values.shape}; expected ({count},) or "
                f"({count}, 1), one value a row, for an array of shape {rows.shape}"
            )
        flat: NDArray[np.float64] = values.reshape(count).astype(np.float64)
        unsound = ~np.isfinite(flat)
        if unsound.any():
            at = int(unsound.argmax())
            raise EvaluatorError(
                f"evaluator {self.name} returned {flat[at]} for row {at} of {count}; expected finite values"
            )
        return flat


def _encoder(encoder: Any) -> tuple[Encoder, str | None]:
    """The encoder, and the name of the game if it is that game's own."""
    if isinstance(encoder, Encoder):
        return encoder, None
    game = load_game(encoder)
    found = encoder_of(game)
    if found is None:
        raise EvaluatorError(
            f"{game.name} has no encoder: no observation tensor, and its rules have no features(position). "
            "Give an Encoder of your own: units, turn, placed, sees and encode."
        )
    return found, game.name
