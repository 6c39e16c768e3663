"""How large a game is, from random games, before anything large is made."""

import math
import random
import sys
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from starspiel.agents.solve.positions import MOST_CHANCES, is_paid
from starspiel.envs.base import Game, possible_outcomes
from starspiel.envs.errors import StarspielError


@dataclass(frozen=True)
class Size:
    """What is known of a game's size before it is enumerated.

    Attributes:
        least_states: how many positions there are at least, by random play.
        bytes_per_state: estimated from positions of random games.
        memory_gb: the most memory allowed.
    """

    least_states: int
    bytes_per_state: int
    memory_gb: float

    @property
    def most_states(self) -> int:
        """How many positions fit into the memory allowed."""
        return int(self.memory_gb * 1e9 / self.bytes_per_state)

    def refuse_too_large(self, game: Game) -> None:
        """Raises StarspielError where even the least number of positions does not fit."""
        if self.least_states > self.most_states:
            raise StarspielError(
                f"{game.name} is too large to be solved: random play alone shows at least "
                f"{self.least_states:,} positions, and {self.memory_gb:g} GB hold {self.most_states:,}. "
                "Allow more memory or make the game smaller."
            )

    def __str__(self) -> str:
        return (
            f"at least {self.least_states:,} positions of about {self.bytes_per_state:,} bytes, "
            f"{self.least_states * self.bytes_per_state / 1e9:,.2f} GB or more; "
            f"{self.memory_gb:g} GB hold {self.most_states:,}"
        )


def estimate_size(game: Game, memory_gb: float, seed: int = 1) -> Size:
    """Estimates from random games what enumerating takes.

    Two random games of the same age are at the same position with a chance of at least one over the number
    of positions of that age, so coincidences among m games, which make m(m-1)/2 pairs, bound that number
    from below. More games are played until some coincide at every age, or would if the positions fitted.
    """
    rng = random.Random(seed)
    ages: list[Counter[Hashable]] = [Counter() for _ in range(_OLDEST)]
    branches: list[int] = []
    keys: list[Hashable] = []
    played = 0
    while True:
        for _ in range(max(200, played)):
            for age, (key, moves) in enumerate(_random_positions(game, rng)):
                ages[age][key] += 1
                if len(keys) < 500:
                    keys.append(key)
                    branches.append(moves)
            played += 1
        size = Size(_least_states(ages, played), _bytes_per_state(game, keys, branches), memory_gb)
        full = [age for age in ages if age.total() == played]
        if played**2 / 2 > 6 * size.most_states or all(_coincidences(age) >= 10 for age in full):
            return size


#: Decisions of a random game that the estimate looks at.
_OLDEST = 20


def _random_positions(game: Game, rng: random.Random) -> Iterator[tuple[Hashable, int]]:
    """(key, number of moves) at the first decisions of a random game."""
    state = game.new_initial_state()
    found = 0
    for _ in range(MOST_CHANCES):
        if found == _OLDEST or state.is_terminal():
            return
        if state.is_chance_node():
            outcomes, weights = zip(*possible_outcomes(state), strict=True)
            state = state.child(rng.choices(outcomes, weights)[0])
            continue
        moves = state.legal_actions()
        yield game.key(state), len(moves)
        found += 1
        state = state.child(rng.choice(moves))


def _least_states(ages: list[Counter[Hashable]], played: int) -> int:
    """A bound that holds but for bad luck: coincidences three standard deviations above those there were."""
    pairs = played * (played - 1) / 2
    met = [_coincidences(age) for age in ages if age.total() == played]
    by_age = [int(pairs / (count + 3 * math.sqrt(count) + 3)) for count in met]
    return max(len(set().union(*ages)), *by_age, 0)


def _coincidences(age: Counter[Hashable]) -> int:
    """Pairs of games that are at the same position."""
    return sum(count * (count - 1) // 2 for count in age.values())


def _bytes_per_state(game: Game, keys: list[Hashable], branches: list[int]) -> int:
    """Key, its place in the table, and edges, which the solver holds twice."""
    if not keys:
        return 1000
    per_edge = 12 + (16 if is_paid(game) else 0)
    edges = 2 * per_edge * max(sum(branches) / len(branches), 4.0)
    return int(sum(map(_deep_size, keys)) / len(keys) + 130 + edges)


def _deep_size(thing: Any) -> int:
    inner = sum(map(_deep_size, thing)) if isinstance(thing, tuple) else 0
    return sys.getsizeof(thing) + (16 if isinstance(thing, tuple) else 0) + inner
