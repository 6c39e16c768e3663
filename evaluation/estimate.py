"""Estimates how many pairs a tournament would play, and for how long."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from math import sqrt
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from starspiel.envs.text import ShownInNotebooks
from starspiel.evaluation.plan import Plan
from starspiel.evaluation.play.pairing import Pair, in_units, units
from starspiel.evaluation.processes.executor import InProcess, LocalWorkers
from starspiel.evaluation.sequential import Sequential
from starspiel.evaluation.store.finished import finished
from starspiel.evaluation.store.store import Store

#: Seconds after which no further pair is tried out, and those after the first in which others are.
_TRIAL_SECONDS, _LEAST_SECONDS = 10.0, 0.5
#: As many pairs are tried out at most; from so many on, the start is told from the rest.
_MOST_TRIALS, _MANY = 5000, 8
_GOLDEN = (sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True, order=True)
class Forfeit:
    """An agent's fault in a trial game: `kind` and `message` as in Fault."""

    agent: str
    kind: str
    message: str


@dataclass(frozen=True)
class Estimate(ShownInNotebooks):
    """The pairs of a tournament that are stored and that are missing, and the seconds these would take.

    Attributes:
        at_most: whether a sequential test may end it before all missing pairs are played.
        decided: the hypothesis ("lower" or "upper") that the stored pairs have the test accept already:
            nothing is to be played then. None if they do not, and without a test.
        forfeits: what trial games were forfeited for, each reason once.
        players: of the game; with more than two, "pairs" are blocks.
    """

    game: str
    stored_pairs: int
    missing_pairs: int
    missing_games: int
    seconds: float
    at_most: bool = False
    decided: str | None = None
    forfeits: list[Forfeit] = field(default_factory=list)
    players: int = 2

    @property
    def units(self) -> str:
        """What is counted: see `units`."""
        return units(self.players)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        found = asdict(self) | {"seconds": round(self.seconds, 1)}
        del found["players"]
        return found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self._expected())
        for forfeit in self.forfeits:
            reason = " ".join(f"{forfeit.kind}, {forfeit.message}".split())
            yield Text(f"In a trial game {forfeit.agent} forfeited: {reason}.")

    def _expected(self) -> str:
        if self.decided is not None:
            return (
                f"{self.game}: no games to play, {self.stored_pairs:,} {self.units} stored; with these the "
                f"test has accepted its {self.decided} hypothesis."
            )
        minutes, seconds = divmod(round(self.seconds), 60)
        limit = "at most " if self.at_most else ""
        missing = in_units(self.missing_games, self.missing_pairs, self.units)
        return (
            f"{self.game}: {limit}{missing} to play, {self.stored_pairs:,} {self.units} stored; {limit}about "
            f"{minutes} min {seconds:02} s."
        )


def estimate(plan: Plan) -> Estimate:
    """Plays some of the pairs that are missing, as the tournament would, to time them; stores nothing."""
    job, test = plan.job, plan.test
    path = plan.settings.store
    stored, decided = set[Pair](), None
    if path is not None and Path(path).exists():
        with Store(path, read_only=True, limits=plan.executor.limits) as store:
            found = finished(store, job, plan.schedule)
        stored = found.pairs
        if test is not None:
            sequence = Sequential(test, job.game.num_players)
            for pair in found.each():
                list(sequence.released(pair))
            decided = sequence.verdict
    missing = [pair for pair in plan.schedule if pair not in stored] if decided is None else []
    seconds, forfeits = _trial(plan, missing) if missing else (0.0, set[Forfeit]())
    return Estimate(
        game=job.game.name,
        stored_pairs=len(stored),
        missing_pairs=len(missing),
        missing_games=sum(len(pair.agents) for pair in missing),
        seconds=seconds,
        at_most=test is not None and decided is None,
        decided=decided,
        forfeits=sorted(forfeits),
        players=job.game.num_players,
    )


def _trial(plan: Plan, missing: Sequence[Pair]) -> tuple[float, set[Forfeit]]:
    """The seconds that the missing pairs take, and what was forfeited in those that were tried.

    The first record is no measure of the others: processes, imports and tables start slowly.
    """
    executor, share = plan.executor, 1
    if not isinstance(executor, InProcess | LocalWorkers):  # no cluster is started for a trial
        executor, share = LocalWorkers(1, executor.limits), plan.settings.workers
    names, forfeits, enough = plan.names, set[Forfeit](), 2 * len({pair.agents for pair in missing})
    sample = evenly(missing)[:_MOST_TRIALS]
    began = perf_counter()
    first, last, played = 0.0, 0.0, 0
    referee = plan.referee.with_other_dice()
    with closing(executor.play(referee, sample)) as records:
        for record in records:
            last = perf_counter() - began
            first, played = last if played == 0 else first, played + 1
            forfeits |= {Forfeit(names[agent], fault.kind, fault.message) for agent, fault in record.faults}
            if last > _TRIAL_SECONDS or (last - first > _LEAST_SECONDS and played >= enough):
                break
    if played < _MANY or played == len(missing):
        return last / played * len(missing) / share, forfeits
    return first + (last - first) / (played - 1) * (len(missing) - 1) / share, forfeits


def evenly(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs in an order of which every beginning has the meetings in about the shares that all have.

    The fractional parts of multiples of the golden ratio lie evenly in [0, 1), however many there are.
    """
    by_meeting = sorted(pairs, key=lambda pair: pair.agents)
    return [by_meeting[place] for place in sorted(range(len(pairs)), key=lambda place: place * _GOLDEN % 1.0)]
