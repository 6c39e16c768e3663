"""What a tournament's games add up to: enough for every table, without keeping a game."""

from collections import Counter
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from starspiel.evaluation.match import GameRecord, PairRecord
from starspiel.evaluation.stats import PairCounts


@dataclass
class AgentTotals:
    """Sums over one agent's games.

    Attributes:
        points: a win counts 1, a draw ½; in one-player games the sum of returns.
        told_moves, nodes: the moves whose nodes the bot told, and these nodes.
        voids: games voided by this agent's fault and played again.
        forfeits: games lost by a fault, by its kind.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    returns: float = 0.0
    moves: int = 0
    seconds: float = 0.0
    told_moves: int = 0
    nodes: int = 0
    voids: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)


class Tally:
    """Running sums over the pairs of a tournament between `agents` agents."""

    def __init__(self, agents: int) -> None:
        self.agents = [AgentTotals() for _ in range(agents)]
        self.counts = np.zeros((agents, agents, 3, 3))
        self.pairs = 0
        self.games = 0
        self.actions = 0
        #: Losses, draws and wins of seat 0 in games between two agents.
        self.seat_0 = [0, 0, 0]
        #: Returns of one-player games: one dictionary an agent, from pair number to return.
        self.solo: list[dict[int, float]] = [{} for _ in range(agents)]
        #: (raw, luck-adjusted) mean return of a pair's first agent, by the pair's agents.
        self.returns: dict[tuple[int, ...], list[tuple[float, float]]] = {}

    def add(self, record: PairRecord) -> None:
        """Counts a finished pair."""
        self.pairs += 1
        for game in record.games:
            self._add_game(game)
        for agent, _ in record.voided:
            self.agents[agent].voids += 1
        if len(record.pair.agents) == 1:
            self.solo[record.pair.agents[0]][record.pair.number] = record.games[0].score(0)
        else:
            i, j = record.pair.agents
            first, second = (game.score(game.agents.index(i)) for game in record.games)
            if i > j:
                i, j, first, second = j, i, 1.0 - second, 1.0 - first
            self.counts[i, j, int(2 * first), int(2 * second)] += 1

        self._add_luck(record)

    def _add_luck(self, record: PairRecord) -> None:
        if record.faults or any(isnan(game.luck) for game in record.games):
            return
        first = record.pair.agents[0]
        raw = adjusted = 0.0
        for game in record.games:
            seat = game.agents.index(first)
            raw += game.returns[seat]
            adjusted += game.returns[seat] - (game.luck if seat == 0 else -game.luck)
        games = len(record.games)
        self.returns.setdefault(record.pair.agents, []).append((raw / games, adjusted / games))

    def _add_game(self, game: GameRecord) -> None:
        self.games += 1
        self.actions += len(game.actions)
        for seat, (agent, moves) in enumerate(zip(game.agents, game.moves, strict=True)):
            totals = self.agents[agent]
            totals.games += 1
            totals.moves += len(moves.seconds)
            totals.seconds += sum(moves.seconds)
            totals.told_moves += len(moves.nodes)
            totals.nodes += sum(moves.nodes)
            totals.returns += game.returns[seat]
            score = game.score(seat)
            totals.points += score
            if len(game.agents) == 2:
                totals.wins += score == 1.0
                totals.draws += score == 0.5
                totals.losses += score == 0.0
        if len(game.agents) == 2:
            self.seat_0[int(2 * game.score(0))] += 1
        if game.fault is not None:
            loser = self.agents[game.agents[game.fault.seat]]
            loser.forfeits[game.fault.kind] += 1

    @property
    def two_player(self) -> bool:
        """Whether the games so far were between two agents."""
        return not any(self.solo)

    @property
    def results(self) -> PairCounts:
        """The counts of pair results between two agents."""
        return PairCounts(self.counts)
