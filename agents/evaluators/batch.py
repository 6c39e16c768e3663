"""Provides `BatchEvaluator`: a function from arrays of inputs to values, called for many positions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.agents.evaluators.base import function_name
from starspiel.agents.evaluators.positions import Value, Vectors, rows_of, values_of
from starspiel.envs.base import Game, conforms, has_vector_values
from starspiel.envs.errors import EvaluatorError, shown
from starspiel.envs.load import game_of, load_game

#: Takes inputs of shape (n, features) and returns n values for the player about to act, or vectors.
Function = Callable[[NDArray[np.float32]], Any]


class BatchEvaluator:
    """Values positions by a function over arrays: player 0's expected return, or every player's.

    Searches pass all successors of a position at once; the native engine encodes them in C++. Positions that
    the encoder does not support are searched further.

    Args:
        function: takes a float32 array of shape (n, features) and returns n floats, of shape (n,) or (n, 1):
            the expected return of the player about to act in each row. In games whose values are vectors
            (`has_vector_values`), their shape is (n, players): every player's, starting with the player about
            to act.
        encoder: what encodes a position as a row: an Encoder, or a game or its name for the game's own
            encoder.
        range: (least, greatest) value; by default the game's utility range.
        by_position: whether equal rows get equal values, so that tables, merging and ordering may be used.

    Raises EvaluatorError if the game has no encoder. Calls raise it if the function fails or returns
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
        """Returns the function over rows that the core encodes, if the core has this encoder of the game.

        Returns None if values are vectors, which Python computes.
        """
        if has_vector_values(game):
            return None
        own, units = encoder_of(game), self.encoder.units
        if own is None or type(own) is not type(self.encoder) or not np.array_equal(own.units, units):
            return None
        return core.Arrays(self.own_values, len(units)) if core.encoder_inputs(state) == len(units) else None

    def __call__(self, state: Any, /) -> Value:
        return self.batch_values([state])[0]

    def batch_values(self, states: Sequence[Any], /) -> list[Value]:
        """Returns the values of states, for player 0 or as vectors, by one call of the function."""
        game = game_of(states[0]) if states else None
        kind = Vectors(game) if game is not None and has_vector_values(game) else None
        columns = 0 if kind is None or game is None else game.num_players

        def outputs(seen: list[Any]) -> list[Value]:
            values: list[Value] = self._outputs(rows_of(self.encoder, seen), columns).tolist()
            return values

        return values_of(states, self.encoder, outputs, kind)

    def own_values(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns the function's values of rows, as an array of shape (n,), for the player about to act.
        Raises EvaluatorError if the function returns something else.
        """
        return self._outputs(rows, 0)

    def _outputs(self, rows: NDArray[np.float32], columns: int) -> NDArray[np.float64]:
        """Returns the function's checked outputs, of shape (n, columns), or (n,) if `columns` is 0."""
        count = len(rows)
        shapes = ((count, columns),) if columns else ((count,), (count, 1))
        what = "one return a player" if columns else "one value a row"
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
                f"evaluator {self.name} returned {got}; expected floats, {what}, of shape {shapes[0]}, for "
                f"an array of shape {rows.shape}"
            )
        if values.shape not in shapes:
            raise EvaluatorError(
                f"evaluator {self.name} returned an array of shape {values.shape}; expected "
                f"{' or '.join(map(str, shapes))}, {what}, for an array of shape {rows.shape}"
            )
        sound: NDArray[np.float64] = values.reshape(shapes[0]).astype(np.float64)
        unsound = np.argwhere(~np.isfinite(sound))
        if len(unsound):
            at = tuple(unsound[0])
            raise EvaluatorError(
                f"evaluator {self.name} returned {sound[at]} for row {at[0]} of {count}; expected finite "
                "values"
            )
        return sound


def _encoder(encoder: Any) -> tuple[Encoder, str | None]:
    """Returns the encoder, and the game's name if it is the game's own encoder."""
    if conforms(encoder, Encoder):
        return encoder, None
    game = load_game(encoder)
    found = encoder_of(game)
    if found is None:
        raise EvaluatorError(
            f"{game.name} has no encoder: no observation tensor, and its rules have no features(position). "
            "Give an Encoder of your own: units, turn, placed, sees and encode."
        )
    return found, game.name
