"""`BatchEvaluator`: a function from arrays of inputs to values, called for many positions at once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.agents.evaluators.base import function_name
from starspiel.agents.evaluators.positions import Value, Vectors, rows_of, values_of
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.errors import EvaluatorError, shown
from starspiel.envs.load import game_of, load_game

#: Takes inputs of shape (n, features) and returns n values of the player about to act, or vectors.
Function = Callable[[NDArray[np.float32]], Any]


class BatchEvaluator:
    """Values positions by a function over arrays: player 0's expected return, or every player's.

    Searches pass all successors of a position at once; the native one encodes them in C++. Positions that
    the encoder does not support are searched further.

    Args:
        function: takes a float32 array of shape (n, features) and returns n floats, of shape (n,) or (n, 1):
            the expected return of the player about to act in each. In games whose values are vectors
            (`has_vector_values`), of shape (n, players): every player's, from the player about to act on.
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
        """The function over rows that the core encodes, if it has this encoder of the game.

        None if values are vectors, which Python computes.
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
        """Values states, for player 0 or as vectors, by one call of the function."""
        game = game_of(states[0]) if states else None
        kind = Vectors(game) if game is not None and has_vector_values(game) else None
        columns = 0 if kind is None or game is None else game.num_players

        def outputs(seen: list[Any]) -> list[Value]:
            values: list[Value] = self._outputs(rows_of(self.encoder, seen), columns).tolist()
            return values

        return values_of(states, self.encoder, outputs, kind)

    def own_values(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The function's values of some rows, (n,). Raises EvaluatorError if it returns something else."""
        return self._outputs(rows, 0)

    def _outputs(self, rows: NDArray[np.float32], columns: int) -> NDArray[np.float64]:
        """The same, of shape (n, columns) unless that is 0."""
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
