"""Estimates the size of a game from random games, before it is enumerated."""

import math
import random
import sys
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from starspiel.agents.solve.positions import MOST_CHANCES, is_paid
from starspiel.envs.base import SIMULTANEOUS, Game, joint_child, joint_moves, possible_outcomes
from starspiel.envs.errors import StarspielError

#: The number of decisions of a random game that the estimate uses.
_OLDEST = 20
#: The least bytes that the native core needs per position.
_CORE_BYTES = 120


@dataclass(frozen=True)
class Size:
    """A lower bound on a game's number of positions, from random play."""

    least_states: int
    bytes_per_state: int
    memory_gb: float

    @property
    def most_states(self) -> int:
        """The number of positions that fit into the allowed memory."""
        return int(self.memory_gb * 1e9 / self.bytes_per_state)

    def refuse_too_large(self, game: Game) -> None:
        """Raises StarspielError if even the lower bound does not fit."""
        if self.least_states > self.most_states:
            raise StarspielError(
                f"{game.name} is too large to be solved: random play alone shows at least "
                f"{self.least_states:,} positions, and {self.memory_gb:g} GB hold {self.most_states:,}. "
                "Allow more memory or make the game smaller."
            )

    def __str__(self) -> str:
        return (
            f"at least {self.least_states:,} positions of about {self.bytes_per_state:,} bytes; "
            f"{self.memory_gb:g} GB hold {self.most_states:,}"
        )


def estimate_size(game: Game, memory_gb: float, seed: int = 1, *, in_core: bool = False) -> Size:
    """Estimates, from random games, the size of a game before it is enumerated.

    Two random games are at the same position at the same age with a probability of at least one over the
    number of positions of that age. So the coincidences among m games, which make m(m-1)/2 pairs, bound that
    number from below. More games are played until some coincide at every age, or would if the positions
    fitted into the memory.
    """
    rng = random.Random(seed)
    ages: list[Counter[Hashable]] = [Counter() for _ in range(_OLDEST)]
    seen: list[tuple[Hashable, int]] = []  # the first positions, with the number of their moves
    played = 0
    while True:
        for _ in range(max(200, played)):
            positions = list(_random_positions(game, rng))
            for age, (key, _) in enumerate(positions):
                ages[age][key] += 1
            seen += positions[: 500 - len(seen)]
            played += 1
        # Coincidences: pairs of games that are at the same position.
        met = [
            sum(count * (count - 1) // 2 for count in age.values()) for age in ages if age.total() == played
        ]
        # Bounds that hold except for bad luck: they allow for three standard deviations more coincidences.
        bounds = [int(played * (played - 1) / 2 / (count + 3 * math.sqrt(count) + 3)) for count in met]
        size = Size(
            max(len(set().union(*ages)), *bounds, 0), _bytes_per_state(game, seen, in_core), memory_gb
        )
        if played**2 / 2 > 6 * size.most_states or all(count >= 10 for count in met):
            return size


def _random_positions(game: Game, rng: random.Random) -> Iterator[tuple[Hashable, int]]:
    """Yields (key, number of moves) at the first decisions of a random game."""
    state = game.new_initial_state()
    found = 0
    for _ in range(MOST_CHANCES):
        if found == _OLDEST or state.is_terminal():
            return
        if state.is_chance_node():
            outcomes, weights = zip(*possible_outcomes(state), strict=True)
            state = state.child(rng.choices(outcomes, weights)[0])
            continue
        found += 1
        if state.current_player() == SIMULTANEOUS:
            of_each = joint_moves(state, game.num_players)
            yield game.key(state), math.prod(map(len, of_each))
            state = joint_child(state, [rng.choice(moves) for moves in of_each])
            continue
        moves = state.legal_actions()
        yield game.key(state), len(moves)
        state = state.child(rng.choice(moves))


def _bytes_per_state(game: Game, seen: list[tuple[Hashable, int]], in_core: bool) -> int:
    """Returns bytes per position: for the key, its slot in the table, and edges, which Python holds twice."""
    if in_core:
        return _CORE_BYTES
    if not seen:
        return 1000
    per_edge = 12 + (16 if is_paid(game) else 0)
    edges = 2 * per_edge * max(sum(moves for _, moves in seen) / len(seen), 4.0)
    return int(sum(_deep_size(key) for key, _ in seen) / len(seen) + 130 + edges)


def _deep_size(thing: Any) -> int:
    inner = sum(map(_deep_size, thing)) + 16 if isinstance(thing, tuple) else 0
    return sys.getsizeof(thing) + inner
