"""Estimates how many pairs a tournament would play, and how long it would take."""

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

#: A trial lasts at most `_TRIAL_SECONDS`, and at least `_LEAST_SECONDS` after its first pair.
_TRIAL_SECONDS, _LEAST_SECONDS = 10.0, 0.5
#: A trial plays at most `_MOST_TRIALS` pairs; from `_MANY` on, the start-up time is estimated separately.
_MOST_TRIALS, _MANY = 5000, 8
_GOLDEN = (sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True, order=True)
class Forfeit:
    """An agent's fault in a trial game; `kind` and `message` are those of its Fault."""

    agent: str
    kind: str
    message: str


@dataclass(frozen=True)
class Estimate(ShownInNotebooks):
    """How many pairs of a tournament are stored and missing, and the seconds the missing ones would take.

    Attributes:
        at_most: whether a sequential test may end it before all missing pairs are played.
        decided: the hypothesis ("lower" or "upper") that the test already accepts with the stored pairs, so
            that nothing remains to be played. None if it does not decide, or there is no test.
        forfeits: the faults that ended trial games, without duplicates.
        players: the number of players of the game; with more than two, "pairs" are blocks.
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
        """What is counted: "pairs", "games" or "blocks"; see `units` in play/pairing.py."""
        return units(self.players)

    def to_dict(self) -> dict[str, Any]:
        """Returns the estimate as JSON-compatible values."""
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
    """Returns an estimate, by playing some of the missing pairs with other dice; stores nothing."""
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
    """Returns the seconds that the missing pairs would take, and the forfeits in those that were tried.

    The first record is not representative, because processes, imports and tables are slow to start.
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
    """Returns the pairs in an order in which every prefix has about the same shares of meetings as the whole.

    The fractional parts of multiples of the golden ratio spread evenly over [0, 1), whatever their number.
    """
    by_meeting = sorted(pairs, key=lambda pair: pair.agents)
    return [by_meeting[place] for place in sorted(range(len(pairs)), key=lambda place: place * _GOLDEN % 1.0)]
