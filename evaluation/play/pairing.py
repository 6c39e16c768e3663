"""Who meets whom: schedules of pairs, the unit of every statistic.

A pair is all seat orders of the same agents with the same dice: two games between two agents, one game of one
agent in a one-player game. The pairs of two agents take the start positions in turn.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations


@dataclass(frozen=True, slots=True)
class Pair:
    """The `number`-th pair between `agents` (indices into the field), from start position `start`.

    Attributes:
        attempt: how often it was begun before, with dice that somebody may remember: see `Attempts`.
    """

    agents: tuple[int, ...]
    number: int
    start: int = 0
    attempt: int = field(default=0, compare=False)

    def seatings(self) -> Iterator[tuple[int, ...]]:
        """The agents by seat, one entry for each game of the pair."""
        return permutations(self.agents)


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
    place = last = -1
    for pair in schedule:
        place = place + 1 if pair.number == last else 0
        last = pair.number
        if (place + pair.number) % parts == number - 1:
            yield pair


#: What two-player tournaments may be, by the names that settings have for them.
FORMATS = {"round-robin": round_robin, "gauntlet": gauntlet}
