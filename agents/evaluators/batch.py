"""A network of one's own: any function from arrays of inputs to values, asked for many positions at once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.agents.evaluators.positions import rows_of, values_of
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, shown
from starspiel.envs.load import load_game

#: What takes rows of inputs, (n, features), and returns n values of the player about to act.
Function = Callable[[NDArray[np.float32]], Any]


class BatchEvaluator:
    """Values positions by a function over arrays: player 0's expected return.

    The searches hand it all successors of a position at once, and the native one encodes them in C++: a
    network in NumPy, PyTorch, JAX or ONNX Runtime then costs its own arithmetic and not a call a position.
    Positions that the encoder does not see are searched on to those that it does.

    Args:
        function: takes a float32 array of shape (n, features) and returns n floats, of shape (n,) or (n, 1):
            the expected return of the player about to act in each.
        encoder: what a row tells of a position: the name of a game, or the game, for its own encoder
            (`encoder_of`), or an Encoder.
        name: as results and records show it; the function's own where not given.
        range: (least, greatest) value; the game's utility range where not given.
        by_position: whether equal rows get equal values, so that tables, merging and ordering may be used.
            Not so where it counts its calls or draws random numbers.

    Raises EvaluatorError where the game has no encoder, and, when it is asked, where the function fails or
    returns something else.
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
        if not callable(function):
            raise EvaluatorError(
                f"expected a function of an array of shape (n, features), got {shown(function)}."
            )
        if name is not None and not isinstance(name, str):
            raise EvaluatorError(f"expected the evaluator's name as text, got {shown(name)}.")
        self.function = function
        self.encoder, self.game = _encoder(encoder)
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.range = range
        self.by_position = by_position

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

        return values_of(states, self.encoder, own_values, 0.0)

    def own_values(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """What the function returns for the rows, checked: as many floats, none of them NaN."""
        try:
            returned = self.function(rows)
            values = np.asarray(returned)
        except Exception as error:
            raise EvaluatorError(
                f"evaluator {self.name} raised {type(error).__name__}: {error} for an array of shape "
                f"{rows.shape}"
            ) from error
        if values.dtype.kind != "f":
            raise EvaluatorError(
                f"evaluator {self.name} returned {_described(returned, values)}; expected floats, one a "
                f"row, of "
                f"shape ({len(rows)},), for an array of shape {rows.shape}"
            )
        if values.shape not in ((len(rows),), (len(rows), 1)):
            raise EvaluatorError(
                f"evaluator {self.name} returned an array of shape {values.shape}; expected "
                f"({len(rows)},) or "
                f"({len(rows)}, 1), one value a row, for an array of shape {rows.shape}"
            )
        flat: NDArray[np.float64] = values.reshape(len(rows)).astype(np.float64)
        unsound = ~np.isfinite(flat)
        if unsound.any():
            at = int(unsound.argmax())
            raise EvaluatorError(
                f"evaluator {self.name} returned {flat[at]} for row {at} of {len(rows)}; expected finite "
                f"values"
            )
        return flat


def _described(returned: Any, values: NDArray[Any]) -> str:
    if isinstance(returned, np.ndarray) or hasattr(returned, "dtype"):
        return f"an array of {values.dtype}"
    return shown(returned)


def _encoder(encoder: Any) -> tuple[Encoder, str | None]:
    """The encoder, and the name of the game where it is that game's own."""
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
