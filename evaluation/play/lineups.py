"""Schedules blocks, which say who plays together in games of more than two players.

A lineup has as many agents as the game has seats. In a block, each of them plays once from every seat, on the
same dice. The order in which they sit changes from block to block of a lineup.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, count, permutations, repeat
from math import ceil
from random import Random

from starspiel.evaluation.play.designs import design
from starspiel.evaluation.play.pairing import Pair, rotations

#: The indices of the agents that play together, in ascending order.
Lineup = tuple[int, ...]


def blocks(agents: int, seats: int, least: int, starts: int = 1, *, gauntlet: bool = False) -> Iterator[Pair]:
    """Yields blocks until any two agents have met in `least` of them.

    In a gauntlet, the first agent meets each of the others so often. A larger `least` begins with the same
    blocks.

    - More agents than seats: rounds of a balanced design, in which any two agents meet equally often (in a
      gauntlet, any two of the others). The roles in the design change from round to round. The last round is
      completed if that adds at most half as many meetings.
    - If no short design is found: the next lineup always has agents that have met least often. With ten
      blocks or more, no two agents meet in more than three blocks beyond `least`.
    - As many agents as seats: all agents play in every block.
    - Fewer agents than seats: rounds of `lineups_of_all`.
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
    """Returns a round of lineups in which every agent sits, for at most as many agents as seats.

    All agents hold equally many seats of a round. Two agents share the seats of a game in all ways, from one
    seat to all but one, because an agent may do well alone and badly among copies of itself, or the reverse.
    With more agents, each holds as many seats of a game as the others, or one more; which agents hold one
    more changes from lineup to lineup.
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
    """Yields rounds of lineups: each is a balanced design, or without a short design a single lineup."""
    if not (sets := design(agents - gauntlet, seats - gauntlet)):
        yield from _one_by_one(agents, seats, gauntlet)
    for number in count():
        names = list(range(gauntlet, agents))
        Random(number).shuffle(names)
        left = [tuple(sorted([0] * gauntlet + [names[point] for point in own])) for own in sets]
        yield list(_level(left))


def _level(left: list[Lineup]) -> Iterator[Lineup]:
    """Yields the lineups in an order in which the next has agents that met, and then played, least often."""
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
    """Yields one lineup per round, of agents that have each met those already chosen least often."""
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
    """Returns the lineup in the cyclic order of its `number`-th block.

    If every agent holds one seat, all (seats - 1)! orders occur before any is repeated, and each other agent
    sits equally often right behind the first. Orders that repeat within a rotation are skipped.
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
