"""The random-rollout evaluator: the mean return of games played on at random."""

import random
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL, SampledState, possible_outcomes
from starspiel.envs.errors import SpecError


class RolloutEvaluator:
    """The mean of player 0's returns over `n` games from the state, moves uniform and dice fair.

    The random numbers come from the seed alone, in the order of the calls: the same search with the same
    seed sees the same values.
    """

    range = None

    def __init__(self, n: int = 1, seed: int | None = None) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise SpecError(f"rollout: n must be a whole number of at least 1, got {n!r}.")
        self.name = f"rollout(n={n})"
        self.n = n
        self.random = random.Random(seed)

    def seeded(self, seed: int) -> "RolloutEvaluator":
        """The same evaluator with random numbers from another seed."""
        return RolloutEvaluator(self.n, seed)

    def __call__(self, state: Any, /) -> float:
        return sum(self._play(state) for _ in range(self.n)) / self.n

    def _play(self, state: Any) -> float:
        draw = self.random
        while (player := state.current_player()) != TERMINAL:
            if player == CHANCE and isinstance(state, SampledState):
                state = state.sample(np.random.default_rng(draw.getrandbits(64)))
            elif player == CHANCE:
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(draw.choices(outcomes, chances)[0])
            else:
                state = state.child(draw.choice(state.legal_actions()))
        return float(state.returns()[0])
