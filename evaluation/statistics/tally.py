"""Sums up the games of a tournament, so that every table can be made without keeping the games."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.outcomes import Outcomes, cost_of
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import SUMMED_FACTS, Outcome, PairRecord, Void
from starspiel.evaluation.statistics.agent_totals import AgentTotals
from starspiel.evaluation.statistics.blocks import BlockKey, Blocks, Rows, block_key, rows_of
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.less_luck import many_returns_less_luck, returns_less_luck


class Tally:
    """Running sums over the pairs of a tournament between `agents` agents, in any order.

    With more than two players, or `by_means`, it keeps the returns, for means, instead of pair results.
    `shares_known` says whether forfeited games tell the returns of seats that are not at fault.
    """

    def __init__(self, agents: int, *, by_means: bool = False, shares_known: bool = True) -> None:
        self._by_means = by_means
        self.shares_known = shares_known
        self.agents = [AgentTotals() for _ in range(agents)]
        self.counts = np.zeros((agents, agents, 3, 3))
        self.pairs = 0
        self.games = 0
        self.whole_games = 0  # games without a forfeit
        self.facts: dict[str, float] = dict.fromkeys(SUMMED_FACTS, 0)  # of whole games
        self.lengths: Counter[int] = Counter()  # number of whole games by number of actions and outcomes
        self.alike: Counter[tuple[int, int]] = Counter()  # pairs whose two games were identical
        #: (agents, start) -> keys of the games (none once a pair's keys differed), and number of pairs.
        self._repeats: dict[tuple[tuple[int, ...], int], tuple[set[int], int]] = {}
        self.seat_0 = [0, 0, 0]  # losses, draws and wins of seat 0 in games between two agents
        self.solo: list[dict[int, float]] = [{} for _ in range(agents)]  # returns alone, by pair number
        self.solo_forfeits: set[tuple[int, int]] = set()  # agents and numbers of those that were forfeited
        self.of_many: dict[BlockKey, Sequence[Rows]] = {}  # the games of more than two players
        self.forfeited: Counter[tuple[int, ...]] = Counter()  # pairs with a forfeit, by their agents
        #: Agents -> pair number -> (raw, luck-adjusted) mean return of the first agent, if measured.
        self.returns: dict[tuple[int, ...], dict[int, tuple[float, float]]] = {}

    def add(self, record: PairRecord) -> None:
        """Counts a finished pair."""
        self.count(record.pair, [game.outcome for game in record.games], record.voids)

    def count(self, pair: Pair, games: Sequence[Outcome], voided: Sequence[Void] = ()) -> None:
        """Counts a finished pair by its outcomes; `voided` are the faults of a first attempt."""
        self.pairs += 1
        faulty = any(game.fault for game in games)
        self._compare(pair, set() if faulty else {game.facts.actions_key for game in games})
        scores = [self._count_game(pair, game) for game in games]
        for agent in {void.agent for void in voided}:
            self.agents[agent].voids += 1
        for void in voided:
            self.agents[void.agent].void_faults[void.kind, void.message] += 1
        if len(pair.agents) == 1:
            self.solo[pair.agents[0]][pair.number] = scores[0][0]
            if faulty:
                self.solo_forfeits.add((pair.agents[0], pair.number))
        elif self._is_by_means(len(pair.agents)):
            self.of_many[block_key(pair)] = list(map(rows_of, games))
        else:
            i, j = pair.agents
            first, second = (own[game.agents.index(i)] for own, game in zip(scores, games, strict=True))
            if i > j:
                i, j, first, second = j, i, 1.0 - second, 1.0 - first
            result = i, j, int(2 * first), int(2 * second)
            self.counts[result] += 1
            one, other = (game.facts.actions_key for game in games)
            if one == other and not faulty:
                self.alike[i, j] += 1
        if faulty:
            self.forfeited[pair.agents] += 1
        elif not self._is_by_means(len(pair.agents)) and (found := returns_less_luck(pair, games)):
            self.returns.setdefault(pair.agents, {})[pair.number] = found

    def count_all(self, outcomes: Outcomes) -> None:
        """Counts many pairs without faults at once; sums are the same as if each was counted by itself."""
        games, seats = outcomes.agents.shape
        if games == 0:
            return
        keys = outcomes.facts["actions_key"].reshape(-1, seats).tolist()
        for pair, own in zip(outcomes.pairs, keys, strict=True):
            self._compare(pair, set(own))
        self.pairs += len(outcomes.pairs)
        self.games += games
        self.whole_games += games
        lengths, counts = np.unique(outcomes.facts["length"], return_counts=True)
        self.lengths.update(dict(zip(lengths.tolist(), counts.tolist(), strict=True)))
        for name in self.facts:
            self.facts[name] = sum(outcomes.facts[name].tolist(), self.facts[name])
        scores = outcomes.scores
        sums: dict[str, NDArray[Any]] = {
            "games": np.ones_like(scores),
            "points": scores,
        }
        if seats > 1:
            sums |= {"wins": scores == 1.0, "draws": (scores > 0.0) & (scores < 1.0), "losses": scores == 0.0}

        def by_agent(numbers: NDArray[Any]) -> NDArray[Any]:
            # Game by game, as they are counted one by one: sums of fractions depend on the order.
            return np.bincount(outcomes.agents.ravel(), numbers.ravel(), len(self.agents))

        for name, numbers in sums.items():
            for totals, number in zip(self.agents, by_agent(numbers).tolist(), strict=True):
                own = getattr(totals, name)
                setattr(totals, name, own + type(own)(number))
        costs = np.stack([by_agent(each) for each in np.moveaxis(outcomes.costs, -1, 0)], axis=1)
        for totals, cost in zip(self.agents, costs.tolist(), strict=True):
            totals.cost = totals.cost.plus(cost_of(cost))
        if seats == 1:
            agents = outcomes.agents[:, 0].tolist()
            for pair, agent, score in zip(outcomes.pairs, agents, scores[:, 0].tolist(), strict=True):
                self.solo[agent][pair.number] = score
        elif self._is_by_means(seats):
            self.of_many.update((block_key(pair), list(map(rows_of, own))) for pair, own in outcomes.each())
        else:
            self._count_results(outcomes, (2.0 * scores[:, 0]).astype(int))
        if not self._is_by_means(seats):
            for pair, found in many_returns_less_luck(outcomes):
                self.returns.setdefault(pair.agents, {})[pair.number] = found

    def _count_results(self, outcomes: Outcomes, seat_0: NDArray[np.int64]) -> None:
        """Counts the losses (0), draws (1) and wins (2) of seat 0 in the games of complete pairs."""
        agents = outcomes.agents
        self.seat_0 = (np.array(self.seat_0) + np.bincount(seat_0, minlength=3)).tolist()
        one_first = agents[:, 0] < agents[:, 1]
        # From the perspective of the agent that is first in the field: its game in seat 0, then in seat 1.
        first, second = np.where(one_first, seat_0, 0), np.where(one_first, 0, 2 - seat_0)
        first, second = first[::2] + first[1::2], second[::2] + second[1::2]
        i, j = np.sort(agents[::2]).T
        np.add.at(self.counts, (i, j, first, second), 1)
        keys = outcomes.facts["actions_key"]
        alike = keys[::2] == keys[1::2]
        self.alike.update(zip(i[alike].tolist(), j[alike].tolist(), strict=True))

    def _compare(self, pair: Pair, keys: set[int]) -> None:
        """Notes whether a pair repeated the games of earlier ones from its start; not if `keys` is empty."""
        place = tuple(sorted(pair.agents)), pair.start
        first, pairs = self._repeats.get(place, (keys, 0))
        self._repeats[place] = first if first == keys else set(), pairs + 1

    def _count_game(self, pair: Pair, game: Outcome) -> list[float]:
        """Counts a game of a pair, and returns each seat's score."""
        self.games += 1
        if game.fault is None:  # The length of a forfeited game says nothing about the game.
            self.whole_games += 1
            self.lengths[game.facts.length] += 1
            for name in self.facts:
                self.facts[name] += getattr(game.facts, name)
        two, alone = len(game.agents) == 2, len(game.agents) == 1
        scores = [game.score(seat) for seat in range(len(game.agents))]
        for agent, score, cost in zip(game.agents, scores, game.costs, strict=True):
            totals = self.agents[agent]
            totals.games += 1
            totals.points += score
            totals.cost = totals.cost.plus(cost)
            if not alone:
                totals.wins += score == 1.0
                totals.draws += 0.0 < score < 1.0
                totals.losses += score == 0.0
        if two:
            self.seat_0[int(2 * scores[0])] += 1
        if game.fault is not None:
            culprit = self.agents[game.agents[game.fault.seat]]
            culprit.forfeits[game.fault.kind] += 1
            culprit.faults[game.fault.kind, game.fault.message] += 1
            if two:
                self.agents[game.agents[1 - game.fault.seat]].won_by_forfeit += 1
            place = (pair.number, *pair.agents, *game.agents)
            if place > culprit.last_fault_place:
                culprit.last_fault, culprit.last_fault_place = game.fault.message, place
        return scores

    def _is_by_means(self, seats: int) -> bool:
        return self._by_means or seats > 2

    @property
    def groups_alike(self) -> list[tuple[int, ...]]:
        """The groups of agents that play alike: in all pairs of any two, both games were identical."""
        alike = {meeting for meeting, pairs in self.alike.items() if pairs == self.counts[meeting].sum()}
        groups: list[list[int]] = []
        for agent in range(len(self.agents)):
            for group in groups:
                if all((other, agent) in alike for other in group):
                    group.append(agent)
                    break
            else:
                groups.append([agent])
        return [tuple(group) for group in groups if len(group) > 1]

    @property
    def repeated_meetings(self) -> list[tuple[int, ...]]:
        """The agents whose pairs repeated the same games, from every start they played more than once."""
        several = [(agents, keys) for (agents, _), (keys, pairs) in self._repeats.items() if pairs > 1]
        return sorted({agents for agents, _ in several} - {agents for agents, keys in several if not keys})

    @property
    def actions(self) -> float:
        """The total number of actions and chance outcomes in all games without a forfeit."""
        return self.facts["length"]

    @property
    def two_player(self) -> bool:
        """Whether the games so far were between two agents, and are counted as pair results."""
        return not self.of_many and not any(self.solo)

    @property
    def blocks(self) -> Blocks | None:
        """The blocks of games of more than two players, or pairs if `by_means`; None if there are none."""
        if not self.of_many:
            return None
        return Blocks.of(len(self.agents), self.of_many, shares_known=self.shares_known)

    @property
    def returns_alone(self) -> Sequence[Mapping[int, float]]:
        """For each agent, number of a pair -> return in a game of one player.

        The lowest return possible may be unknown, so a forfeited game counts at most as the lowest whole one.
        """
        if not self.solo_forfeits:
            return self.solo
        games = [((agent, pair), value) for agent, own in enumerate(self.solo) for pair, value in own.items()]
        lowest = min((value for game, value in games if game not in self.solo_forfeits), default=inf)
        found: list[dict[int, float]] = [{} for _ in self.solo]
        for (agent, pair), value in games:
            found[agent][pair] = min(value, lowest) if (agent, pair) in self.solo_forfeits else value
        return found

    @property
    def mean_returns(self) -> Sequence[Mapping[int, float]]:
        """For each agent, number of a pair or round -> mean return; empty with pair results."""
        blocks = self.blocks
        return self.returns_alone if blocks is None else blocks.mean_returns

    @property
    def results(self) -> PairCounts:
        """The counts of pair results between two agents."""
        return PairCounts(self.counts)
