"""Provides the common dice of a rollout: games of the same number have the same dice after every move."""

import random
from collections.abc import Sequence


class TurnDice:
    """Dice that depend on (seed, game number, player in turn, number of that player's turn, throw within it).

    So games from different moves have the same dice, even if one of them has an extra throw in a turn.
    """

    def __init__(self, seed: int, game: int) -> None:
        self._key = f"{seed} {game}"
        self._turns: dict[int, int] = {}
        self._player = -1
        self._random = random.Random(self._key)

    def turn_of(self, player: int) -> None:
        """Begins a turn of `player`, unless it has already begun."""
        if player != self._player:
            turn = self._turns[player] = self._turns.get(player, 0) + 1
            self._player = player
            self._random = random.Random(f"{self._key} {player} {turn}")

    def throw(self, outcomes: Sequence[tuple[int, float]]) -> int:
        """Draws the next outcome from those listed with their probabilities."""
        left = self._random.random()
        last = -1
        for outcome, probability in outcomes:
            if probability <= 0.0:
                continue
            last = outcome
            left -= probability
            if left < 0.0:
                break
        return last  # also if the probabilities add up to less than 1 by a rounding error
