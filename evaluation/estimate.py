"""What a tournament would play, and about how long it would take."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.stable import close_idle
from starspiel.evaluation.job import Job, Seating
from starspiel.evaluation.plan import Plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.statistics.sprt import Sprt
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.rows import Finished
from starspiel.evaluation.store.store import Store

#: Seconds after which no further meeting is tried out; the rest are taken to be like the others.
_TRIAL_SECONDS = 10.0


@dataclass(frozen=True, order=True)
class Forfeit:
    """What an agent forfeited a trial game for: `kind` and `message` as in Fault."""

    agent: str
    kind: str
    message: str


@dataclass(frozen=True)
class Estimate:
    """The pairs of a tournament that are stored and that are missing, and the seconds these would take.

    Attributes:
        at_most: whether a sequential test may end it before all missing pairs are played.
        decided: the hypothesis ("lower" or "upper") that the stored pairs have the test accept already:
            nothing is to be played then. None where they do not, and without a test.
        forfeits: what trial games were forfeited for, each reason once.
    """

    game: str
    stored_pairs: int
    missing_pairs: int
    missing_games: int
    seconds: float
    at_most: bool = False
    decided: str | None = None
    forfeits: list[Forfeit] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self) | {"seconds": round(self.seconds, 1)}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self._expected())
        for forfeit in self.forfeits:
            reason = " ".join(f"{forfeit.kind}, {forfeit.message}".split())
            yield Text(f"In a trial game {forfeit.agent} forfeited: {reason}.")

    def _expected(self) -> str:
        if self.decided is not None:
            return (
                f"{self.game}: no games to play, {self.stored_pairs:,} pairs stored; with these the test has "
                f"accepted its {self.decided} hypothesis."
            )
        minutes, seconds = divmod(round(self.seconds), 60)
        limit = "at most " if self.at_most else ""
        return (
            f"{self.game}: {limit}{self.missing_games:,} games in {self.missing_pairs:,} pairs to play, "
            f"{self.stored_pairs:,} pairs stored; {limit}about {minutes} min {seconds:02} s."
        )


def estimate(plan: Plan) -> Estimate:
    """Times one pair of each meeting that is not stored yet; stores nothing."""
    job, test, limits = plan.job, plan.test, plan.executor.limits
    path = plan.settings.store
    stored, decided = set[Pair](), None
    if path is not None and Path(path).exists():
        with Store(path, read_only=True, limits=limits) as store:
            finished = store.stored(job, plan.schedule)
        stored, decided = finished.pairs, None if test is None else _verdict(test, finished)
    missing = [pair for pair in plan.schedule if pair not in stored] if decided is None else []
    trials = _trials(job, missing, limits)
    mean = sum(seconds for seconds, _ in trials.values()) / len(trials) if trials else 0.0
    known = {agents: seconds for agents, (seconds, _) in trials.items()}
    return Estimate(
        game=job.game.name,
        stored_pairs=len(stored),
        missing_pairs=len(missing),
        missing_games=sum(len(list(pair.seatings())) for pair in missing),
        seconds=sum(known.get(pair.agents, mean) for pair in missing) / plan.settings.workers,
        at_most=test is not None and decided is None,
        decided=decided,
        forfeits=sorted({forfeit for _, forfeits in trials.values() for forfeit in forfeits}),
    )


def _verdict(test: Sprt, finished: Finished) -> str | None:
    """What the test accepts on the stored pairs, in the order of their numbers and up to the first gap."""
    tally = Tally(2)
    for number, counted in enumerate(sorted(finished.each(), key=lambda each: each[0].number)):
        if counted[0].number != number:
            return None
        tally.count(*counted)
        verdict = test.verdict(tally.results.five(0, 1))
        if verdict is not None:
            return verdict
    return None


#: Of a trial pair: its seconds, and what was forfeited.
_Trial = tuple[float, list[Forfeit]]


def _trials(job: Job, missing: Iterable[Pair], limits: HardLimits) -> dict[tuple[int, ...], _Trial]:
    """By the agents that meet: a pair tried out."""
    tried: dict[tuple[int, ...], _Trial] = {}
    began = perf_counter()
    try:
        for pair in missing:
            if perf_counter() - began > _TRIAL_SECONDS:
                break
            if pair.agents not in tried:
                tried[pair.agents] = _trial(job, pair, limits)
    finally:
        close_idle()
    return tried


def _trial(job: Job, pair: Pair, limits: HardLimits) -> _Trial:
    names = [entrant.name for entrant in job.field]
    started = perf_counter()
    record = job.play(pair, Seating(limits))
    seconds = perf_counter() - started
    return seconds, [Forfeit(names[agent], fault.kind, fault.message) for agent, fault in record.faults]
