"""The result of a tournament: a value that answers questions and prints itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from math import isnan, nan
from typing import Any, TypeVar

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.luck import Adjusted, adjusted_mean
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.statistics.differences import Difference, differences
from starspiel.evaluation.statistics.intervals import Array, PairCounts, interval
from starspiel.evaluation.statistics.means import mean_interval, with_margin
from starspiel.evaluation.statistics.ratings import Ratings, rate
from starspiel.evaluation.statistics.sprt import Sprt
from starspiel.evaluation.statistics.tally import AgentTotals, Tally

_DRAWS = 1000
T = TypeVar("T")


@dataclass(frozen=True)
class Standing:
    """One agent's line in the table.

    Attributes:
        agent: its name.
        elo, low, high: Elo with its 95 % interval; NaN in one-player games.
        score: points (win 1, draw ½) of `totals.games`; in one-player games the sum of returns.
        mean, mean_low, mean_high: score per game with its 95 % interval; in one-player games by Student's t,
            and NaN bounds where the returns are too few, or do not vary.
        totals: the sums behind it.
    """

    agent: str
    elo: float
    low: float
    high: float
    score: float
    mean: float
    mean_low: float
    mean_high: float
    totals: AgentTotals

    @property
    def nodes_per_move(self) -> float:
        """NaN where the bot does not tell its nodes."""
        return self.totals.nodes / self.totals.told_moves if self.totals.told_moves else nan

    @property
    def seconds_per_move(self) -> float:
        """CPU seconds; NaN where no move was made."""
        return self.totals.seconds / self.totals.moves if self.totals.moves else nan


@dataclass(frozen=True)
class SprtResult:
    """How a sequential test stands: the first agent against the second.

    Attributes:
        five: pairs by the first agent's points 0, ½, 1, 1½, 2.
        llr: the log-likelihood ratio, to be compared with `test.bounds`.
        verdict: "upper" or "lower", whichever hypothesis was accepted, or None.
    """

    test: Sprt
    five: tuple[int, int, int, int, int]
    llr: float
    verdict: str | None

    def told_of(self, agent: str, opponent: str) -> str:
        """The test in a sentence or two, with the names of the two agents."""
        low, high = self.test.bounds
        accepted = "undecided"
        if self.verdict is not None:
            elo = self.test.upper if self.verdict == "upper" else self.test.lower
            accepted = f"accepted {'nElo' if self.test.normalized else 'Elo'} {elo:g}"
        return (
            f"SPRT {self.test}: {accepted} after {sum(self.five):,} pairs, LLR {self.llr:.2f} "
            f"({low:.2f}, {high:.2f}). Elo and points are those of {agent} against {opponent}: "
            f"pairs LL LD DD+WL WD WW {' '.join(map(str, self.five))}."
        )


@dataclass(frozen=True)
class TournamentResult:
    """What was played, and what follows from it.

    Attributes:
        game, seed, agents: what determines the games.
        planned_pairs: how many pairs the schedule held; fewer were played if `interrupted`.
        tally: the sums over all finished pairs.
        seconds: wall-clock seconds of play.
        pairs: the record of every finished pair; empty where they are in a store.
        anchor: index of the agent rated 0, or None for the mean of the field.
        luck_evaluator: the name of the evaluator that luck was measured with, or None.
        sprt: how the sequential test ended, if there was one. Its games are never to be pooled with others.
        specs: what each agent is: its spec with the contents of its files, or the name of its factory.
        starts: the histories that the pairs started from.
        clock: seconds a move beyond which it counts as an overrun, or None.
        timed: the agents whose specs limit their seconds: their games cannot be played again move for move.
        clockless: with a clock, the agents whose specs do not limit their seconds.
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

    @property
    def games(self) -> int:
        """Games played."""
        return self.tally.games

    @property
    def two_player(self) -> bool:
        return self.tally.two_player

    @property
    def results(self) -> PairCounts:
        """Counts of the pair results between any two agents."""
        return self.tally.results

    @property
    def matrix(self) -> Array:
        """(n, n): mean score of each agent against each other, NaN where they did not meet."""
        return self.results.matrix

    @cached_property
    def _samples(self) -> PairCounts:
        return self.results.resampled(_DRAWS, np.random.default_rng(1))

    @cached_property
    def matrix_interval(self) -> tuple[Array, Array]:
        """Low and high of the 95 % interval of `matrix`, by bootstrap over pairs."""
        return interval(self._samples.matrix, self.matrix)

    @cached_property
    def ratings(self) -> Ratings:
        """Elo with intervals (two-player games)."""
        return rate(self.results, anchor=self.anchor, draws=_DRAWS)

    @property
    def adjusted(self) -> tuple[Adjusted, ...]:
        """Mean returns of every meeting, raw and luck-adjusted; empty without a luck evaluator."""
        if self.luck_evaluator is None:
            return ()
        returns, forfeited = self.tally.returns, self.tally.forfeited
        return tuple(
            adjusted_mean(agents, _in_order(returns.get(agents, {})), forfeited[agents])
            for agents in sorted(returns.keys() | forfeited.keys())
        )

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """One-player games: every two agents' returns compared on common dice, the better agent first."""
        if self.two_player:
            return ()
        rank = {self.agents.index(name): place for place, name in enumerate(self.ranked_names)}
        found = [
            each if rank[each.agents[0]] < rank[each.agents[1]] else each.flipped
            for each in differences(self.tally.solo)
        ]
        return tuple(sorted(found, key=lambda each: tuple(rank[agent] for agent in each.agents)))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The agents from best to worst."""
        lines = [self._standing(index) for index in range(len(self.agents))]
        return tuple(
            sorted(lines, key=lambda line: (-line.mean if isnan(line.elo) else -line.elo, line.agent))
        )

    @property
    def ranked_names(self) -> tuple[str, ...]:
        """The agents' names from best to worst."""
        return tuple(line.agent for line in self.standings)

    def _standing(self, index: int) -> Standing:
        name, totals = self.agents[index], self.tally.agents[index]
        if not self.two_player:
            returns = _in_order(self.tally.solo[index])
            mean, low, high = mean_interval(returns)
            return Standing(name, nan, nan, nan, sum(returns), mean, low, high, totals)
        samples, rated = self._samples, self.ratings
        with np.errstate(invalid="ignore"):
            means = samples.points[:, index].sum(axis=-1) / (2.0 * samples.pairs[:, index].sum(axis=-1))
        mean = totals.points / totals.games if totals.games else nan
        bounds = interval(means, np.array(mean))
        return Standing(
            name,
            float(rated.elo[index]),
            float(rated.low[index]),
            float(rated.high[index]),
            totals.points,
            mean,
            float(bounds[0]),
            float(bounds[1]),
            totals,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the games, ready for JSON: agents in their own order, None for no number."""
        by_name = {line.agent: line for line in self.standings}
        low, high = self.matrix_interval
        return {
            "game": self.game,
            "seed": self.seed,
            "games": self.games,
            "pairs": self.tally.pairs,
            "planned_pairs": self.planned_pairs,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "agents": [_line_dict(by_name[name], self.two_player) for name in self.agents],
            "ranking": list(self.ranked_names),
            "anchor": None if self.anchor is None else self.agents[self.anchor],
            "seat_advantage_elo": [_number(value) for value in self.ratings.seat_advantage]
            if self.two_player
            else None,
            "matrix": _rows(self.matrix),
            "matrix_low": _rows(low),
            "matrix_high": _rows(high),
            "differences": None
            if self.two_player
            else [_difference_dict(each, self.agents) for each in self.differences],
            "clock": self.clock,
            "timed": list(self.timed),
            "clockless": list(self.clockless),
            "sprt": None
            if self.sprt is None
            else {
                "test": str(self.sprt.test),
                "agents": list(self.agents),
                "pairs": list(self.sprt.five),
                "llr": self.sprt.llr,
                "bounds": list(self.sprt.test.bounds),
                "verdict": self.sprt.verdict,
            },
            "luck": None
            if self.luck_evaluator is None
            else {
                "evaluator": self.luck_evaluator,
                "meetings": [_adjusted_dict(line, self.agents) for line in self.adjusted],
            },
        }

    def to_pandas(self) -> Any:
        """The standings as a `pandas.DataFrame`, best agent first. Needs pip install "starspiel[pandas]"."""
        try:
            import pandas
        except ImportError:
            raise StarspielError('to_pandas needs pandas: pip install "starspiel[pandas]".') from None
        return pandas.DataFrame([_line_dict(line, self.two_player) for line in self.standings])

    def __str__(self) -> str:
        out = Console(file=StringIO(), width=120, highlight=False, markup=False, emoji=False)
        out.print(self)
        assert isinstance(out.file, StringIO)
        return out.file.getvalue().rstrip()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        parts: list[RenderableType] = [self._head(), self._fitting_table(console, options)]
        if self.two_player:
            parts += [Text("Score in % of row against column, and its 95 % interval"), self._crosstable()]
            parts.append(self._foot())
        if self.differences:
            parts += [self._difference_table(), Text(DIFFERENCES_NOTE)]
        if self.sprt is not None:
            parts.append(Text(self.sprt_note))
        if self.luck_evaluator is not None:
            parts.append(self._luck_table())
        if self.clock is not None:
            parts.append(Text(self.clock_note))
        if self.timed:
            parts.append(Text(self.timed_note))
        faults = self._faults()
        yield from parts
        if faults:
            yield faults

    @property
    def sprt_note(self) -> str:
        """How the sequential test stands, in words; empty without one."""
        return "" if self.sprt is None else self.sprt.told_of(*self.agents)

    @property
    def clock_note(self) -> str:
        """What the clock was, and whom it cannot hold to it."""
        if self.clock is None:
            return ""
        without = f" No clock of their own: {', '.join(self.clockless)}." if self.clockless else ""
        return f"Moves of more than {self.clock:g} s are overruns.{without}"

    @property
    def timed_note(self) -> str:
        """Whose games depend on the machine and its load; empty where nobody's do."""
        if not self.timed:
            return ""
        return (
            f"Limited by seconds: {', '.join(self.timed)}. What they find depends on the machine and its "
            "load, so their games cannot be played again move for move."
        )

    def _head(self) -> Text:
        played = f"{self.games:,} games in {self.tally.pairs:,} pairs"
        early = f", stopped early ({self.planned_pairs:,} planned)" if self.interrupted else ""
        return Text(f"{self.game}: {played}{early}, seed {self.seed}, {self.seconds:.1f} s", style="bold")

    def _fitting_table(self, console: Console, options: ConsoleOptions) -> Table:
        """The standings with as many columns, from the left, as the terminal is wide enough for."""
        names: tuple[str, ...] = ("Elo", "95 %", "points", "games", "score", "W-D-L")
        if not self.two_player:
            names = ("mean return", "95 %", "games")
        names += ("nodes/move", "ms/move")
        wide = options.update(max_width=1000)
        for count in range(len(names), 2, -1):
            table = self._table(names[:count])
            if console.measure(table, options=wide).maximum <= options.max_width:
                break
        if count < len(names):
            table.caption = f"No room for: {', '.join(names[count:])}."
            table.caption_justify = "left"
        return table

    def _table(self, columns: tuple[str, ...]) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        table.add_column("#", justify="right", no_wrap=True, min_width=1)
        table.add_column("agent", overflow="fold", min_width=12)
        for name in columns:
            table.add_column(name, justify="right", no_wrap=True)
        for rank, line in enumerate(self.standings, start=1):
            cost = (_count(line.nodes_per_move), _milliseconds(line.seconds_per_move))
            table.add_row(str(rank), Text(line.agent), *(*self._cells(line), *cost)[: len(columns)])
        return table

    def _cells(self, line: Standing) -> tuple[str, ...]:
        totals = line.totals
        if not self.two_player:
            return points(line.mean), bounds(line.mean_low, line.mean_high), str(totals.games)
        if isnan(line.elo):
            return "-", "-", "0", "0", "-", "-"
        return (
            f"{line.elo:+.0f}",
            f"{line.low:+.0f} … {line.high:+.0f}",
            f"{line.score:g}",
            str(totals.games),
            f"{100 * line.mean:.1f} %",
            f"{totals.wins}-{totals.draws}-{totals.losses}",
        )

    def _crosstable(self) -> Table:
        """Score in percent of the row's agent against the column's, with the 95 % interval below it."""
        order = [self.agents.index(name) for name in self.ranked_names]
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("#", justify="right", no_wrap=True, min_width=1)
        for rank in range(1, len(order) + 1):
            table.add_column(str(rank), justify="center", no_wrap=True)
        low, high = self.matrix_interval
        for rank, i in enumerate(order, start=1):
            cells = [
                ""
                if isnan(self.matrix[i, j])
                else f"{100 * self.matrix[i, j]:.0f}\n{100 * low[i, j]:.0f}-{100 * high[i, j]:.0f}"
                for j in order
            ]
            table.add_row(str(rank), *cells)
        return table

    def _luck_table(self) -> Table:
        table = Table(
            box=SIMPLE_HEAD,
            pad_edge=False,
            title=Text(f"Mean return per game, raw and luck-adjusted by {self.luck_evaluator}"),
            title_style="",
            caption="Left out: pairs with a forfeit."
            if any(line.left_out for line in self.adjusted)
            else None,
        )
        for column in ("agent", "against"):
            table.add_column(column, overflow="fold")
        for column in ("pairs", "left out", "raw ± 95 %", "adjusted ± 95 %", "variance factor"):
            table.add_column(column, justify="right", no_wrap=True)
        for line in self.adjusted:
            names = [self.agents[agent] for agent in line.agents]
            table.add_row(
                Text(names[0]),
                Text(names[1] if len(names) > 1 else ""),
                f"{line.pairs:,}",
                f"{line.left_out:,}",
                with_margin(line.raw, line.raw_margin),
                with_margin(line.adjusted, line.adjusted_margin),
                "–" if isnan(line.variance_factor) else f"{line.variance_factor:.2f}",
            )
        return table

    def _difference_table(self) -> Table:
        table = Table(
            box=SIMPLE_HEAD,
            pad_edge=False,
            title="Mean difference of returns on the same dice",
            title_style="",
        )
        for column in ("agent", "against"):
            table.add_column(column, overflow="fold")
        for column in ("pairs", "difference", "95 %", "p (Holm)"):
            table.add_column(column, justify="right", no_wrap=True)
        for row in difference_rows(self):
            table.add_row(*map(Text, row))
        return table

    def _foot(self) -> Text:
        advantage, low, high = self.ratings.seat_advantage
        losses, draws, wins = self.tally.seat_0
        zero = "the mean of the field" if self.anchor is None else self.agents[self.anchor]
        games = max(losses + draws + wins, 1)
        return Text(
            f"Elo 0 is {zero}; intervals by bootstrap over pairs. "
            f"First seat: {100 * (wins + draws / 2) / games:.1f} % of points, "
            f"worth {advantage:+.0f} Elo ({low:+.0f} … {high:+.0f}). "
            f"{100 * draws / games:.1f} % draws, {self.tally.actions / games:.0f} events a game."
        )

    def _faults(self) -> Text | None:
        lines = []
        for name, totals in zip(self.agents, self.tally.agents, strict=True):
            if totals.overruns or totals.wall_overruns:
                lines.append(
                    f"{name}: {totals.overruns} of {totals.moves} moves over the clock in CPU time, "
                    f"{totals.wall_overruns} in wall-clock time."
                )
            if totals.voids or totals.forfeits:
                kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.forfeits.items()))
                count = totals.forfeits.total()
                forfeits = f"{count} game{'' if count == 1 else 's'} forfeited" + (
                    f" ({kinds})" if kinds else ""
                )
                last = f" Last: {totals.last_fault}." if totals.last_fault else ""
                voids = f"{totals.voids} pair{'' if totals.voids == 1 else 's'} void and played again"
                lines.append(f"{name}: {voids}, {forfeits}.{last}")
        return Text("Faults. " + " ".join(lines), style="red") if lines else None


#: What the table of differences rests on.
DIFFERENCES_NOTE = (
    "95 % by Student's t over pairs, – where nothing varies; p by flipping the signs of the differences, "
    "corrected for all comparisons."
)


def difference_rows(result: TournamentResult) -> list[tuple[str, ...]]:
    """Agent, the one it is compared with, pairs, mean difference, its interval, and p, as text."""
    return [
        (
            *(result.agents[agent] for agent in each.agents),
            f"{each.pairs:,}",
            points(each.mean, "+"),
            bounds(each.low, each.high, "+"),
            "–" if isnan(each.p_holm) else f"{each.p_holm:.3g}",
        )
        for each in result.differences
    ]


def _difference_dict(each: Difference, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "agents": [names[agent] for agent in each.agents],
        "pairs": each.pairs,
        "mean": _number(each.mean),
        "low": _number(each.low),
        "high": _number(each.high),
        "p": _number(each.p),
        "p_holm": _number(each.p_holm),
    }


def _line_dict(line: Standing, two_player: bool) -> dict[str, Any]:
    totals = line.totals
    return {
        "spec": line.agent,
        "score": line.score,
        "games": totals.games,
        "wins": totals.wins if two_player else None,
        "draws": totals.draws if two_player else None,
        "losses": totals.losses if two_player else None,
        "mean": _number(line.mean),
        "mean_low": _number(line.mean_low),
        "mean_high": _number(line.mean_high),
        "elo": _number(line.elo),
        "elo_low": _number(line.low),
        "elo_high": _number(line.high),
        "moves": totals.moves,
        "nodes_per_move": _number(line.nodes_per_move),
        "cpu_seconds_per_move": _number(line.seconds_per_move),
        "overruns": totals.overruns,
        "wall_overruns": totals.wall_overruns,
        "voids": totals.voids,
        "forfeits": dict(totals.forfeits),
        "last_fault": totals.last_fault or None,
    }


def _in_order(by_number: Mapping[int, T]) -> list[T]:
    return [by_number[number] for number in sorted(by_number)]


def _adjusted_dict(line: Adjusted, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "agents": [names[agent] for agent in line.agents],
        "pairs": line.pairs,
        "left_out": line.left_out,
        "raw": _number(line.raw),
        "raw_standard_error": _number(line.raw_error),
        "raw_margin": _number(line.raw_margin),
        "adjusted": _number(line.adjusted),
        "adjusted_standard_error": _number(line.adjusted_error),
        "adjusted_margin": _number(line.adjusted_margin),
        "variance_factor": _number(line.variance_factor),
    }


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _rows(matrix: Array) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in matrix.tolist()]


def points(value: float, sign: str = "") -> str:
    """A mean return; those of some games go to tens of thousands."""
    if isnan(value):
        return "–"
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"


def bounds(low: float, high: float, sign: str = "") -> str:
    """An interval of mean returns, or a dash where there is none."""
    return "–" if isnan(low) else f"{points(low, sign)} … {points(high, sign)}"


def _count(value: float) -> str:
    return "-" if isnan(value) else f"{value:,.0f}"


def _milliseconds(seconds: float) -> str:
    return "-" if isnan(seconds) else f"{1000 * seconds:,.3g}"
