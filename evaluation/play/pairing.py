"""Who meets whom: schedules of pairs, the unit of every statistic.

A pair is the same agents in all rotations of the seats with the same dice: two games between two agents, one
game of one agent in a one-player game. With more players it is called a block, whose agents may be fewer than
the seats: lineups.py has their schedules. The pairs of the same agents take the start positions in turn.
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
        agents: by seat in the first game; one may sit in several seats if there are more than two.
        attempt: how often it was begun before, with dice that somebody may remember: see `Attempts`.
    """

    agents: tuple[int, ...]
    number: int
    start: int = 0
    attempt: int = field(default=0, compare=False)

    def seatings(self) -> Iterator[tuple[int, ...]]:
        """The agents by seat, one entry for each game of the pair."""
        return rotations(self.agents)


def units(players: int) -> str:
    """What games that belong together are called: pairs, with more than two players blocks; else games."""
    return {1: "games", 2: "pairs"}.get(players, "blocks")


def in_units(games: int, number: int, kind: str) -> str:
    """So many games of so many `units`, in words: "6 games in 3 pairs", or "6 games"."""
    some, those = (
        f"{count:,} {kind.removesuffix('s') if count == 1 else kind}"
        for count, kind in ((games, "games"), (number, kind))
    )
    return some if kind == "games" else f"{some} in {those}"


def rotations(agents: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """The agents by seat, each moved up a seat from one to the next, until the first would come again."""
    turned = agents
    while True:
        yield turned
        turned = (*turned[1:], turned[0])
        if turned == agents:
            return


def least_rotation(agents: Sequence[Any]) -> tuple[Any, ...]:
    """What all rotations of the same agents are known by: the first of them in order."""
    return min(rotations(tuple(agents)))


def round_robin(agents: int, pairs: int, starts: int = 1) -> Iterator[Pair]:
    """Everyone against everyone, `pairs` times. Round by round, so that an interrupted run is balanced."""
    for number in range(pairs):
        for meeting in combinations(range(agents), 2):
            yield Pair(meeting, number, number % starts)


def gauntlet(agents: int, pairs: int, starts: int = 1) -> Iterator[Pair]:
    """The first agent against each of the others, `pairs` times, round by round."""
    for number in range(pairs):
        for other in range(1, agents):
            yield Pair((0, other), number, number % starts)


def solo(agents: int, pairs: int, starts: int = 1) -> Iterator[Pair]:
    """Every agent alone, `pairs` times: one-player games are compared pair by pair."""
    for number in range(pairs):
        for agent in range(agents):
            yield Pair((agent,), number, number % starts)


def part(schedule: Iterable[Pair], number: int, parts: int) -> Iterator[Pair]:
    """The `number`-th of so many parts of a schedule, from 1; every meeting has about the same share in each.

    Parts go round among the meetings of a round, and start with another meeting in the next.
    """
    places = Counter[int]()
    for pair in schedule:
        if (places[pair.number] + pair.number) % parts == number - 1:
            yield pair
        places[pair.number] += 1


#: What two-player tournaments may be, by the names that settings have for them.
FORMATS = {"round-robin": round_robin, "gauntlet": gauntlet}
