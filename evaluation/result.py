"""Provides `TournamentResult`, the result of a tournament; the package `report` formats it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isnan, nan
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from starspiel.envs.errors import StarspielError
from starspiel.envs.modules import is_installed, resolve
from starspiel.envs.text import ShownInNotebooks
from starspiel.evaluation.play.pairing import units
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.settings import Settings
from starspiel.evaluation.sprt_result import SprtResult
from starspiel.evaluation.standing import Standing
from starspiel.evaluation.statistics.adjusted import Adjusted, adjusted_means, less_luck
from starspiel.evaluation.statistics.after_sprt import ratings_after
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.differences import Difference, differences
from starspiel.evaluation.statistics.intervals import Array, PairCounts, payoffs
from starspiel.evaluation.statistics.lucks import AgentLuck, agent_lucks
from starspiel.evaluation.statistics.means import mean_interval
from starspiel.evaluation.statistics.plackett_luce import rate_blocks
from starspiel.evaluation.statistics.proportions import matrix_interval, score_interval
from starspiel.evaluation.statistics.ratings import Ratings, rate
from starspiel.evaluation.statistics.tally import Tally

#: The optional package that prints results, resolved by name.
_REPORT = "starspiel.evaluation.report"


@dataclass(frozen=True)
class TournamentResult(ShownInNotebooks):
    """The games of a tournament and the statistics computed from them.

    Attributes:
        game, seed, agents: what determines the games; with a `key`, the seed is a number that stands for it.
        key: what dice and agents' seeds are derived from instead of the seed, or None; "" for a given key
            that stays secret until all pairs are played.
        planned_pairs: number of pairs in the schedule; fewer were played if `interrupted`, or if a
            sequential test decided.
        tally: the sums over all finished pairs.
        seconds: wall-clock seconds of play.
        pairs: the record of every finished pair; empty if they are in a store.
        anchor: index of the agent rated 0, or None for the mean of those whose differences are bounded.
        luck_evaluator: the name of the evaluator that measured luck, or None.
        sprt: the state of the sequential test, if there was one. Its games must not be pooled with others.
        specs: identity of each agent: its spec with hashes of its files, or the name of its factory.
        starts: the histories that the pairs started from.
        clock: seconds per move beyond which a move counts as an overrun, or None.
        timed: the agents whose specs limit their seconds: their games cannot be reproduced move for move.
        clockless: with a clock, the agents whose specs do not limit their seconds.
        settings: the settings that were requested, with a single game; None for a ladder.
        sources: the agents' specs, as settings have them; None for Python objects.
        own_dice: the external agents: each of their games has its own dice (or start).
        common_starts: whether a pair shares its seed but not its dice, because the game does not list its
            chance outcomes.
    """

    game: str
    seed: int
    agents: tuple[str, ...]
    planned_pairs: int
    tally: Tally = field(repr=False)
    seconds: float
    interrupted: bool = False
    pairs: tuple[PairRecord, ...] = field(default=(), repr=False)
    anchor: int | None = None
    luck_evaluator: str | None = None
    sprt: SprtResult | None = None
    specs: tuple[str, ...] = ()
    starts: tuple[tuple[int, ...], ...] = ((),)
    clock: float | None = None
    timed: tuple[str, ...] = ()
    clockless: tuple[str, ...] = ()
    common_starts: bool = False
    own_dice: tuple[str, ...] = ()
    key: str | None = None
    settings: Settings | None = field(default=None, repr=False)
    sources: tuple[str | None, ...] = ()

    @property
    def gauntlet(self) -> bool:
        """Whether it is a gauntlet, in which the first agent meets all others and these do not meet."""
        return self.settings is not None and self.settings.format == "gauntlet"

    @property
    def is_ladder(self) -> bool:
        return self.settings is None

    @property
    def games(self) -> int:
        """Games played."""
        return self.tally.games

    @property
    def two_player(self) -> bool:
        return self.tally.two_player

    @cached_property
    def blocks(self) -> Blocks | None:
        """The blocks of a game of more than two players, or pairs of a general-sum one; else None."""
        return self.tally.blocks

    @property
    def players(self) -> int:
        """The number of players of the game: 1, 2 or more; 2 before any game."""
        return self.blocks.seats if self.blocks is not None else 2 if self.two_player else 1

    @property
    def kind(self) -> int:
        """Which columns tables have: 1 for one player, 2 for two players with zero sum, 3 for all others."""
        return self.players if self.blocks is None else 3

    @property
    def observations(self) -> str:
        """The unit of observation for intervals: "pairs", "games" of one player, "blocks" or "rounds"."""
        return units(self.players) if self.blocks is None else self.blocks.unit

    @property
    def mean_returns(self) -> Sequence[Mapping[int, float]]:
        """Each agent's mean return in each of its `observations`; empty in zero-sum games of two players."""
        return self.tally.returns_alone if self.blocks is None else self.blocks.mean_returns

    @property
    def results(self) -> PairCounts:
        """Counts of the pair results between any two agents."""
        return self.tally.results

    @property
    def matrix(self) -> Array:
        """(n, n): mean score of each agent against each other, NaN if they did not meet.

        With more than two players, or two without zero sum, it is the share of common games in which the row
        agent finished above the column agent; ties count half.
        """
        return self.results.matrix if self.blocks is None else self.blocks.above[0]

    @property
    def payoffs(self) -> Array:
        """(n, n): mean of +1 per win, 0 per draw, -1 per loss of row against column; 0 on the diagonal.

        OpenSpiel's analyses accept it: `alpharank.compute([result.payoffs])`. Raises StarspielError if two
        agents did not meet, or if the game is not a zero-sum game of two players.
        """
        if not self.two_player:
            raise StarspielError("payoffs compare agents that met in a zero-sum game of two players.")
        return payoffs(self.results)

    @cached_property
    def matrix_interval(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the 95 % intervals of `matrix`, over pairs."""
        return matrix_interval(self.results) if self.blocks is None else self.blocks.above[1:]

    @cached_property
    def ratings(self) -> Ratings:
        """Elo with intervals; after a sequential test, adjusted for its stopping.

        The model is Bradley-Terry in zero-sum games of two players, and Plackett-Luce with more players, or
        without zero sum.
        """
        if self.blocks is not None:
            return rate_blocks(self.blocks, self.anchor)
        ratings = rate(self.results, anchor=self.anchor)
        return ratings if self.sprt is None else ratings_after(self.sprt.test, self.results, ratings)

    @property
    def adjusted(self) -> tuple[Adjusted, ...]:
        """Mean returns per meeting, or per agent, raw and luck-adjusted; empty without a luck evaluator."""
        return () if self.luck_evaluator is None else adjusted_means(self.tally, self.blocks)

    @cached_property
    def lucks(self) -> tuple[AgentLuck, ...]:
        """Each agent's luck per game, luckiest first; empty without a luck evaluator."""
        if self.luck_evaluator is None:
            return ()
        return agent_lucks(len(self.agents), less_luck(self.tally, self.blocks)[0])

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Differences of any two agents' returns, pair by pair, the better agent first.

        Empty for zero-sum games of two players.
        """
        if self.two_player:
            return ()
        rank = {self.agents.index(name): place for place, name in enumerate(self.ranked_names)}
        found = [
            each if rank[each.agents[0]] < rank[each.agents[1]] else each.flipped
            for each in differences(self.mean_returns)
        ]
        return tuple(sorted(found, key=lambda each: tuple(rank[agent] for agent in each.agents)))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The agents from best to worst."""
        bounds = score_interval(self.results) if self.two_player else ()
        lines = [self._standing(index, bounds) for index in range(len(self.agents))]

        def key(line: Standing) -> tuple[float, float, str]:
            by_elo = self.two_player or (self.is_ladder and self.blocks is not None)
            place = -line.elo if by_elo and not isnan(line.elo) else -line.mean
            place = inf if isnan(place) and self.blocks is not None else place
            return place, 0.0 if isnan(line.share) else -line.share, line.agent

        return tuple(sorted(lines, key=key))

    @property
    def ranked_names(self) -> tuple[str, ...]:
        """The agents' names from best to worst."""
        return tuple(line.agent for line in self.standings)

    @property
    def groups_alike(self) -> tuple[tuple[str, ...], ...]:
        """The groups of agents that played identical moves, best first."""
        rank = self.ranked_names.index
        groups = [
            sorted((self.agents[agent] for agent in group), key=rank) for group in self.tally.groups_alike
        ]
        return tuple(sorted(map(tuple, groups), key=lambda own: rank(own[0])))

    def _standing(self, index: int, bounds: tuple[Array, ...]) -> Standing:
        name, totals = self.agents[index], self.tally.agents[index]
        if not self.two_player:
            returns = [own for _, own in sorted(self.mean_returns[index].items())]
            means = mean_interval(returns)
            if self.blocks is None:
                return Standing(name, nan, nan, nan, sum(returns), *means, totals)
            shares = self.blocks.win_share_interval(index)
            return Standing(name, *self._elo(index), totals.points, *means, totals, *shares)
        mean = totals.points / totals.games if totals.games else nan
        elo, low, high = self._elo(index)
        mean_low, mean_high = (float(each[index]) for each in bounds)
        return Standing(name, elo, low, high, totals.points, mean, mean_low, mean_high, totals)

    def _elo(self, index: int) -> tuple[float, float, float]:
        rated = self.ratings
        return float(rated.elo[index]), float(rated.low[index]), float(rated.high[index])

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the games as JSON-compatible values: agents as given, None for NaN."""
        found: dict[str, Any] = resolve(f"{_REPORT}.data:as_dict")(self)
        return found

    def to_pandas(self) -> Any:
        """Returns the standings as a `pandas.DataFrame`, best agent first; needs "starspiel[pandas]"."""
        return resolve(f"{_REPORT}.data:as_pandas")(self)

    def __str__(self) -> str:
        return str(resolve(f"{_REPORT}.text:as_text")(self)) if is_installed(_REPORT) else self._in_brief

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if is_installed(_REPORT):
            yield from resolve(f"{_REPORT}.text:printed")(self, console, options)
        else:
            yield Text(self._in_brief)

    @property
    def _in_brief(self) -> str:
        """The standings, one per line, for an installation without the report."""
        lines = [f"{self.game}: {self.games:,} games, seed {self.seed}"]
        for rank, line in enumerate(self.standings, start=1):
            rating = f", Elo {line.elo:+.0f} ({line.low:+.0f} … {line.high:+.0f})" if self.two_player else ""
            lines.append(f"{rank}  {line.agent}: mean {line.mean:.3g} in {line.totals.games:,} games{rating}")
        return "\n".join(lines)
