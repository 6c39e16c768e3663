"""The random-rollout evaluator: the mean return of games played on at random."""

import random
from typing import Any

import numpy as np

from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import CHANCE, TERMINAL, SampledState, possible_outcomes

#: Games a value may be the mean of; the native engine counts to twice as many.
_MOST_GAMES = 10**9


class RolloutEvaluator:
    """The mean of player 0's returns over `n` games from the state, moves uniform and dice fair.

    The random numbers come from the seed alone, in the order of the calls: the same search with the same
    seed sees the same values.
    """

    range = None

    def __init__(self, n: int = 1, seed: int | None = None) -> None:
        n = whole_number("rollout: n", n, 1, _MOST_GAMES)
        self.name = f"rollout(n={n})"
        self.n = n
        self.random = random.Random(seed_number(seed))

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
