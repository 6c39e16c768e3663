"""Schedules pairs of games, the unit of every statistic.

A pair has games of the same agents in all rotations of the seats, with the same dice: two games between two
agents, or one game in a one-player game. With more players it is called a block, which may have fewer agents
than seats; lineups.py schedules blocks. The pairs of the same agents use the start positions in turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair:
    """The `number`-th pair between `agents` (indices into the field), from start position `start`.

    Attributes:
        agents: by seat in the first game; one agent may hold several seats if there are more than two.
        attempt: how often it was started before, with dice that an agent may remember: see `Attempts`.
    """

    agents: tuple[int, ...]
    number: int
    start: int = 0
    attempt: int = field(default=0, compare=False)

    def seatings(self) -> Iterator[tuple[int, ...]]:
        """Yields the agents by seat for each game of the pair."""
        return rotations(self.agents)


def units(players: int) -> str:
    """Returns what the games that belong together are called: "games", "pairs" or "blocks"."""
    return {1: "games", 2: "pairs"}.get(players, "blocks")


def in_units(games: int, number: int, kind: str) -> str:
    """Returns the counts in words, such as "6 games in 3 pairs", or "6 games" if `kind` is "games"."""
    some, those = (
        f"{count:,} {kind.removesuffix('s') if count == 1 else kind}"
        for count, kind in ((games, "games"), (number, kind))
    )
    return some if kind == "games" else f"{some} in {those}"


def rotations(agents: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Yields all different rotations of the agents over the seats, beginning with the given one."""
    turned = agents
    while True:
        yield turned
        turned = (*turned[1:], turned[0])
        if turned == agents:
            return


def least_rotation(agents: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the smallest rotation of the agents, which is the same for all their rotations."""
    return min(rotations(tuple(agents)))


def round_robin(agents: int, pairs: int, starts: int = 1) -> Iterator[Pair]:
    """Yields `pairs` pairs of any two agents, round by round, so that an interrupted run is balanced."""
    for number in range(pairs):
        for meeting in combinations(range(agents), 2):
            yield Pair(meeting, number, number % starts)


def gauntlet(agents: int, pairs: int, starts: int = 1) -> Iterator[Pair]:
    """Yields `pairs` pairs of the first agent and each of the others, round by round."""
    for number in range(pairs):
        for other in range(1, agents):
            yield Pair((0, other), number, number % starts)


def solo(agents: int, pairs: int, starts: int = 1) -> Iterator[Pair]:
    """Yields `pairs` pairs of each agent alone, for one-player games, which are compared pair by pair."""
    for number in range(pairs):
        for agent in range(agents):
            yield Pair((agent,), number, number % starts)


def part(schedule: Iterable[Pair], number: int, parts: int) -> Iterator[Pair]:
    """Yields the `number`-th of `parts` parts of a schedule, from 1.

    Every meeting has about the same share in each part: the meetings of a round are dealt to the parts in
    turn, and each round starts with the next part.
    """
    places = Counter[int]()
    for pair in schedule:
        if (places[pair.number] + pair.number) % parts == number - 1:
            yield pair
        places[pair.number] += 1


#: Name of a tournament format in the settings -> its schedule in two-player games.
FORMATS = {"round-robin": round_robin, "gauntlet": gauntlet}
