"""Values many positions at once, by way of the positions below them that an encoder supports.

This is the counterpart of native/network/expansion.hpp.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes, utility_sum
from starspiel.envs.errors import SpecError

#: The tolerance of ties between vectors, as in searches; relative for values beyond 1.
_TIE = 1e-9

#: A number, or a vector of one number per player.
Value = Any


def needed_encoder(game: Game) -> Encoder:
    """Returns the game's encoder. Raises SpecError if it has none."""
    encoder = encoder_of(game)
    if encoder is None:
        raise SpecError(
            f"{game.name} has no encoder, so no network values it; use heuristic, rollout or zero."
        )
    return encoder


def rows_of(encoder: Encoder, states: Sequence[Any]) -> NDArray[np.float32]:
    """Returns the inputs of supported states, as an array of shape (states, inputs)."""
    own_row = getattr(encoder, "row", None)
    rows = np.zeros((len(states), len(encoder.units)), dtype=np.float32)
    for row, state in zip(rows, states, strict=True):
        if own_row is not None:
            row[:] = own_row(state)
            continue
        for at, count in encoder.encode(state):
            row[at] = np.float32(count) * encoder.units[at]
    return rows


class Numbers:
    """Player 0's values in one-player games and two-player zero-sum games."""

    #: The value before chance has placed the pieces.
    unknown: Value = 0.0

    def end(self, state: Any) -> Value:
        return float(state.returns()[0])

    def seen(self, value: Value, turn: int) -> Value:
        """Returns the value, given that for the player about to act, who is `turn`."""
        return value if turn == 0 else -value

    def mean(self, parts: Sequence[tuple[float, Value]]) -> Value:
        """Returns the mean of (probability, value) pairs."""
        return sum((p * value for p, value in parts), start=0.0)

    def best(self, values: Sequence[Value], player: int) -> Value:
        return max(values) if player == 0 else min(values)


class Vectors(Numbers):
    """Every player's values; a network's outputs start with the player about to act."""

    def __init__(self, game: Game) -> None:
        self._players = game.num_players
        self.unknown = ((utility_sum(game) or 0.0) / self._players,) * self._players

    def end(self, state: Any) -> Value:
        return tuple(map(float, state.returns()))

    def seen(self, value: Value, turn: int) -> Value:
        return tuple(value[(player - turn) % self._players] for player in range(self._players))

    def mean(self, parts: Sequence[tuple[float, Value]]) -> Value:
        chances, vectors = zip(*parts, strict=True)
        return tuple(
            sum((p * value for p, value in zip(chances, own, strict=True)), start=0.0)
            for own in zip(*vectors, strict=True)
        )

    def best(self, values: Sequence[Value], player: int) -> Value:
        best = values[0]
        for vector in values[1:]:
            if vector[player] > best[player] + _TIE * max(1.0, abs(best[player])):
                best = vector
        return best


def values_of(
    states: Sequence[Any],
    encoder: Encoder,
    seen_values: Callable[[list[Any]], Sequence[Value]],
    kind: Numbers | None = None,
) -> list[Value]:
    """Returns the value of each state, as `Numbers` or as `kind` defines.

    If the dice have been thrown and the encoder does not see them, the value is that of the best move with
    them. If they are yet to be thrown, it is the mean. `seen_values` returns the values, for the player about
    to act, of states that the encoder sees; it is called once.
    """
    kind = kind or Numbers()
    seen: list[Any] = []

    def listed(state: Any) -> Callable[[Sequence[Value]], Value]:
        """Returns a function that computes the state's value from the values of the states that are seen."""
        player = state.current_player()
        if player == TERMINAL:
            utility = kind.end(state)
            return lambda values: utility
        if encoder.sees(state):
            row = len(seen)
            seen.append(state)
            return lambda values: values[row]
        if not encoder.placed(state):
            return lambda values: kind.unknown
        if player == CHANCE:
            parts = [(p, listed(state.child(outcome))) for outcome, p in possible_outcomes(state)]
            return lambda values: kind.mean([(p, part(values)) for p, part in parts])
        children = [listed(state.child(action)) for action in state.legal_actions()]
        return lambda values: kind.best([child(values) for child in children], player)

    wanted = [listed(state) for state in states]
    own = seen_values(seen) if seen else ()
    values = [kind.seen(value, encoder.turn(state)) for state, value in zip(seen, own, strict=True)]
    return [value(values) for value in wanted]
