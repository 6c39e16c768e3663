"""Who sits together in games of more than two players: schedules of blocks.

A lineup is as many agents as the game has seats. In every block each of them plays once from every seat, on
the same dice; who sits behind whom changes from block to block of a lineup.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, count, permutations

from starspiel.evaluation.play.pairing import Pair, rotations


def blocks(agents: int, seats: int, least: int, starts: int = 1, *, gauntlet: bool = False) -> Iterator[Pair]:
    """Blocks until every two agents have met in `least`; in a gauntlet, the first and each of the others.

    A greater `least` begins with the same blocks.

    - More agents than seats: the next lineup is always of those who have met least often. From ten blocks on,
      no two meet in more than three blocks beyond `least`.
    - As many: everyone, in every block.
    - Fewer, but more than two: everyone in as many seats as the others, or in one more; who has one more
      goes round.
    - Two agents: one seat against all others, two against the rest, and so on up to all but one: whoever is
      better off alone among the others shows it there only.

    Lineups go round until all have been played equally often, but for those of more agents than seats.
    """
    found = _of_many(agents, seats, gauntlet) if agents > seats else _of_all(agents, seats)
    missing = {pair: least for pair in combinations(range(agents), 2) if not (gauntlet and pair[0])}
    played = Counter[tuple[int, ...]]()
    while missing:
        for lineup in next(found):
            number = played[lineup]
            played[lineup] += 1
            yield Pair(_in_order(lineup, number), number, number % starts)
            for pair in missing.keys() & set(combinations(sorted(set(lineup)), 2)):
                missing[pair] -= 1
                if missing[pair] <= 0:
                    del missing[pair]


def _of_all(agents: int, seats: int) -> Iterator[list[tuple[int, ...]]]:
    """Rounds of lineups in which everyone sits."""
    if agents == 2:
        shares: list[tuple[int, ...]] = [(own, seats - own) for own in range(1, seats)]
    else:
        each, more = divmod(seats, agents)
        shares = [
            tuple([each + (agent in lucky) for agent in range(agents)])
            for lucky in combinations(range(agents), more)
        ]
    lineups = [tuple([agent for agent, own in enumerate(share) for _ in range(own)]) for share in shares]
    while True:
        yield lineups


def _of_many(agents: int, seats: int, gauntlet: bool) -> Iterator[list[tuple[int, ...]]]:
    """Lineups, one by one: always the next agent that has met those chosen before least often."""
    met = [[0] * agents for _ in range(agents)]
    played = [0] * agents
    while True:
        worst, total, lineup = [0] * agents, [0] * agents, list[int]()
        while len(lineup) < seats:
            left = [agent for agent in range(agents) if agent not in lineup]
            chosen = (
                0
                if gauntlet and not lineup
                else min(left, key=lambda agent: (worst[agent], total[agent], played[agent]))
            )
            for agent in left:
                worst[agent] = max(worst[agent], met[chosen][agent])
                total[agent] += met[chosen][agent]
            lineup.append(chosen)
        for i, j in permutations(lineup, 2):
            met[i][j] += 1
        for agent in lineup:
            played[agent] += 1
        yield [tuple(sorted(lineup))]


def _in_order(lineup: tuple[int, ...], number: int) -> tuple[int, ...]:
    """The lineup in the cyclic order of its `number`-th block.

    Of agents who sit once, all (seats - 1)! orders come before any comes again, and everyone else sits once
    behind the first in as many blocks. An order that repeats within a rotation is passed over.
    """
    for each in count(number):
        left, rest = list(lineup[1:]), each
        order = [lineup[0]]
        while left:
            rest, place = divmod(rest, len(left))
            order.append(left.pop(place))
        if len(list(rotations(tuple(order)))) == len(lineup):
            break
    return tuple(order)
