"""Who sits together in games of more than two players: schedules of blocks.

A lineup is as many agents as the game has seats. In every block each of them plays once from every seat, on
the same dice; who sits behind whom changes from block to block of a lineup.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, count, permutations, repeat
from math import ceil
from random import Random

from starspiel.evaluation.play.designs import design
from starspiel.evaluation.play.pairing import Pair, rotations

#: The agents that sit together, ascending.
Lineup = tuple[int, ...]


def blocks(agents: int, seats: int, least: int, starts: int = 1, *, gauntlet: bool = False) -> Iterator[Pair]:
    """Blocks until every two agents have met in `least`; in a gauntlet, the first and each of the others.

    A greater `least` begins with the same blocks.

    - More agents than seats: rounds of a balanced design, in which every two meet equally often (in a
      gauntlet, every two of the others); who is who in it changes from round to round. The last is played
      whole if that makes no more than half as many meetings again.
    - If no short design is known: the next lineup is always of those who have met least often. From ten
      blocks on, no two meet in more than three blocks beyond `least`.
    - As many: everyone, in every block.
    - Fewer: rounds of `lineups_of_all`.
    """
    found = _of_many(agents, seats, gauntlet) if agents > seats else repeat(lineups_of_all(agents, seats))
    missing = {pair: least for pair in combinations(range(agents), 2) if not (gauntlet and pair[0])}
    played = Counter[tuple[int, ...]]()
    while missing:
        lineups = next(found)
        together = sum({0, 1} <= set(lineup) for lineup in lineups)
        is_whole = agents <= seats or 2 * together * ceil(least / max(together, 1)) <= 3 * least
        for lineup in lineups:
            if not missing and not is_whole:
                return
            number = played[lineup]
            played[lineup] += 1
            yield Pair(seated(lineup, number), number, number % starts)
            for pair in missing.keys() & set(combinations(sorted(set(lineup)), 2)):
                missing[pair] -= 1
                if missing[pair] <= 0:
                    del missing[pair]


def lineups_of_all(agents: int, seats: int) -> list[Lineup]:
    """A round of lineups in which everyone sits, for no more agents than seats.

    All agents hold as many seats of a round. Two share the seats of a game in all ways, from one against all
    others to all but one: an agent may do well alone and badly among copies of itself, or the reverse.
    Of more, everyone has as many seats as the others or one more; who has one more goes round.
    """
    if agents == 2:
        shares: list[tuple[int, ...]] = [(own, seats - own) for own in range(1, seats)]
    else:
        each, more = divmod(seats, agents)
        shares = [
            tuple([each + (agent in lucky) for agent in range(agents)])
            for lucky in combinations(range(agents), more)
        ]
    return [tuple([agent for agent, own in enumerate(share) for _ in range(own)]) for share in shares]


def _of_many(agents: int, seats: int, gauntlet: bool) -> Iterator[list[Lineup]]:
    """Rounds of lineups, each a balanced design."""
    if not (sets := design(agents - gauntlet, seats - gauntlet)):
        yield from _one_by_one(agents, seats, gauntlet)
    for number in count():
        names = list(range(gauntlet, agents))
        Random(number).shuffle(names)
        left = [tuple(sorted([0] * gauntlet + [names[point] for point in own])) for own in sets]
        yield list(_level(left))


def _level(left: list[Lineup]) -> Iterator[Lineup]:
    """The same lineups in an order in which those are next that have met, and then played, least often."""
    met, played = Counter[Lineup](), Counter[int]()

    def place(lineup: Lineup) -> tuple[int, int, Lineup]:
        most = max(met[two] for two in combinations(lineup, 2))
        return most, sum(played[agent] for agent in lineup), lineup

    while left:
        lineup = min(left, key=place)
        left.remove(lineup)
        met.update(combinations(lineup, 2))
        played.update(lineup)
        yield lineup


def _one_by_one(agents: int, seats: int, gauntlet: bool) -> Iterator[list[Lineup]]:
    """Lineups, one a round: always the next agent that has met those chosen before least often."""
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


def seated(lineup: Lineup, number: int) -> tuple[int, ...]:
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
