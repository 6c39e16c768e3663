"""Provides the evaluator `rollout`: the mean return of random games."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import (
    CHANCE,
    TERMINAL,
    Game,
    SampledState,
    SelfPlayingState,
    conforms,
    has_vector_values,
    possible_outcomes,
)
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import game_of

#: The most games that a value may be the mean of (the native engine can count to twice as many), and a number
#: of moves that stands for playing to the end.
_MOST_GAMES = _TO_THE_END = 10**9
#: The number of events after which a random game counts as endless.
_MOST_EVENTS = 100_000


class RolloutEvaluator:
    """The mean of player 0's returns over `n` random games from the state, with uniform moves and fair dice.

    In games whose values are vectors, it is the mean of every player's returns.

    The random numbers depend only on the seed and the order of the calls, so the same search with the same
    seed sees the same values. `depth` is the most moves of a game; a game cut off there counts the rewards
    collected so far.

    Raises StarspielError if a game does not end.
    """

    range = None

    def __init__(self, n: int = 1, seed: int | None = None, *, depth: int | None = None) -> None:
        self.n = whole_number("rollout: n", n, 1, _MOST_GAMES)
        self.depth = None if depth is None else whole_number("rollout: depth", depth, 1, _TO_THE_END)
        self.name = f"rollout(n={self.n})" if depth is None else f"rollout(depth={self.depth},n={self.n})"
        self.random = random.Random(seed_number(seed))

    def seeded(self, seed: int) -> "RolloutEvaluator":
        """Returns a copy with another seed."""
        return RolloutEvaluator(self.n, seed, depth=self.depth)

    def for_core(self, core: Any, state: Any, game: Game) -> Any | None:
        """Returns the core's rollouts, which always play to the end; None if there is a `depth`."""
        return core.Rollouts(self.n) if self.depth is None else None

    def __call__(self, state: Any, /) -> float | tuple[float, ...]:
        returns = [self._play(state) for _ in range(self.n)]
        players = len(returns[0])
        if players > 2 or (players == 2 and has_vector_values(game_of(state))):
            return tuple(sum(own) / self.n for own in zip(*returns, strict=True))
        return sum(float(each[0]) for each in returns) / self.n

    def _play(self, state: Any) -> Sequence[float]:
        draw = self.random
        left = _TO_THE_END if self.depth is None else self.depth
        if conforms(state, SelfPlayingState):
            state = state.play_on(np.random.default_rng(draw.getrandbits(64)), left)
            return _returns(state)
        for _ in range(_MOST_EVENTS):
            if (player := state.current_player()) == TERMINAL or not left:
                return _returns(state)
            if player == CHANCE:
                state = after_chance(state, draw)
            else:
                state = state.child(draw.choice(state.legal_actions()))
                left -= 1
        raise StarspielError(
            f"{game_of(state).name}: a random game had not ended after {_MOST_EVENTS:,} events. Give the "
            "game an end, or the evaluator a depth: rollout(depth=100)."
        )


def _returns(state: Any) -> Sequence[float]:
    returns: Sequence[float] = state.returns()
    return returns


def after_chance(state: Any, draw: random.Random) -> Any:
    """Returns the state after a random outcome of a chance node."""
    if conforms(state, SampledState):
        return state.sample(np.random.default_rng(draw.getrandbits(64)))
    outcomes, chances = zip(*possible_outcomes(state), strict=True)
    return state.child(draw.choices(outcomes, chances)[0])


def rollout(game: Game, n: int = 1, *, depth: int | None = None, seed: int | None = None) -> RolloutEvaluator:
    """Returns the evaluator of a spec such as `rollout(n=20,depth=50)`."""
    return RolloutEvaluator(n, seed, depth=depth)
