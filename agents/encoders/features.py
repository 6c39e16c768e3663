"""Encodes positions of Python rules for networks by the rules' `features(position)`."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders.base import Features
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import SpecError
from starspiel.envs.rules import Rules, RulesState

#: The most positions visited in the search for one with features.
_WALKED = 1000
#: Networks in files count entries in 256ths; entries must lie within this of 0.
_UNIT, _GREATEST = 1 / 256, 128.0


def has_features(rules: Rules[Any]) -> bool:
    """Returns whether the rules define `features`."""
    return type(rules).features is not Rules.features


class FeaturesEncoder:
    """The features of the player about to act; at a chance node, of the player to act after its first
    outcome.

    Networks in files get them in 256ths, functions over arrays get them unchanged. Raises SpecError if no
    position has features, or if they are not a flat vector of constant length with finite entries within
    ±128.
    """

    name = "features"

    def __init__(self, rules: Rules[Any]) -> None:
        self._rules = rules
        self.version = rules.features_version
        self._size: int | None = None
        seen = next((state for state in islice(_states(rules), _WALKED) if self.sees(state)), None)
        if seen is None:
            raise SpecError(
                f"{rules.name}: features() is None at every position of the first games; expected a vector "
                "if somebody decides, or before the dice are thrown."
            )
        self._size = len(self.row(seen))
        self.units: NDArray[np.float32] = np.full(self._size, _UNIT, dtype=np.float32)

    def turn(self, state: RulesState[Any]) -> int:
        while (player := state.current_player()) == CHANCE:
            state = state.child(state.chance_outcomes()[0][0])
        return 0 if player == TERMINAL else player

    def placed(self, state: RulesState[Any]) -> bool:
        return True

    def sees(self, state: RulesState[Any]) -> bool:
        return state.current_player() != TERMINAL and self._rules.features(state.position) is not None

    def encode(self, state: RulesState[Any]) -> Features:
        counts = np.rint(self.row(state) / _UNIT).astype(int)
        return [(int(at), int(counts[at])) for at in np.flatnonzero(counts)]

    def row(self, state: RulesState[Any]) -> NDArray[np.float32]:
        """Returns the features as an array."""
        given = self._rules.features(state.position)
        try:
            row = np.asarray(given, dtype=np.float32)
        except (TypeError, ValueError):
            raise self._unsound(f"{type(given).__name__}", state) from None
        if row.ndim != 1 or not len(row) or (self._size is not None and len(row) != self._size):
            raise self._unsound(f"an array of shape {row.shape}", state)
        sound = np.abs(row) <= _GREATEST  # also false for NaN
        if not sound.all():
            raise self._unsound(f"an entry {row[~sound][0]}", state)
        return row

    def _unsound(self, got: str, state: RulesState[Any]) -> SpecError:
        length = "of one length" if self._size is None else f"of {self._size} entries"
        return SpecError(
            f"{self._rules.name}: features() gives {got} at {state.position!r}; expected a flat vector "
            f"{length}, with finite entries within {_GREATEST:g} of 0."
        )


def _states(rules: Rules[Any]) -> Iterator[RulesState[Any]]:
    """Yields different non-terminal positions, depth first in the order of actions and outcomes."""
    ahead: list[Any] = [rules.new_initial_state()]
    met = set()
    while ahead:
        state = ahead.pop()
        if state.position in met or state.current_player() == TERMINAL:
            continue
        met.add(state.position)
        yield state
        ahead += map(state.child, reversed(state.legal_actions()))
