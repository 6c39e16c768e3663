"""Values of many positions at once, through those that an encoder sees.

The counterpart of native/network/expansion.hpp.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import SpecError

#: Player 0's value, once the values of what is seen are known.
_Value = Callable[[Sequence[float]], float]


def needed_encoder(game: Game) -> Encoder:
    """The game's encoder. Raises SpecError if it has none."""
    encoder = encoder_of(game)
    if encoder is None:
        raise SpecError(
            f"{game.name} has no encoder, so no network values it; use heuristic, rollout or zero."
        )
    return encoder


def rows_of(encoder: Encoder, states: Sequence[Any]) -> NDArray[np.float32]:
    """What the encoder sees of states that it sees, (states, inputs)."""
    own_row = getattr(encoder, "row", None)
    rows = np.zeros((len(states), len(encoder.units)), dtype=np.float32)
    for row, state in zip(rows, states, strict=True):
        if own_row is not None:
            row[:] = own_row(state)
            continue
        for at, count in encoder.encode(state):
            row[at] = np.float32(count) * encoder.units[at]
    return rows


def values_of(
    states: Sequence[Any], encoder: Encoder, seen_values: Callable[[list[Any]], Sequence[float]]
) -> list[float]:
    """Player 0's value of each state of a zero-sum game; 0 before chance has placed the pieces.

    If dice lie that the encoder does not see, the best move with them counts; if they are yet to be thrown,
    the mean. `seen_values` has the values of the player about to act in states that the encoder sees, and is
    asked once.
    """
    seen: list[Any] = []

    def listed(state: Any) -> _Value:
        player = state.current_player()
        if player == TERMINAL:
            utility = float(state.returns()[0])
            return lambda values: utility
        if encoder.sees(state):
            row = len(seen)
            seen.append(state)
            return lambda values: values[row]
        if not encoder.placed(state):
            return lambda values: 0.0
        if player == CHANCE:
            parts = [(p, listed(state.child(outcome))) for outcome, p in possible_outcomes(state)]
            return lambda values: sum((p * part(values) for p, part in parts), start=0.0)
        children = [listed(state.child(action)) for action in state.legal_actions()]
        best = max if player == 0 else min
        return lambda values: best(child(values) for child in children)

    wanted = [listed(state) for state in states]
    own = seen_values(seen) if seen else ()
    values = [value if encoder.turn(state) == 0 else -value for state, value in zip(seen, own, strict=True)]
    return [value(values) for value in wanted]
