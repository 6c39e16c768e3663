"""Tournaments: agents against each other in pairs of games with common dice and swapped seats."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from numbers import Real
from operator import index
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from starspiel.agents.evaluators import Evaluator
from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.pairing import Pair, gauntlet, round_robin, solo
from starspiel.evaluation.play.record import Outcome, PairRecord
from starspiel.evaluation.prepare import AgentsLike, StartsLike, check_memory, prepare
from starspiel.evaluation.processes.local import LocalWorkers
from starspiel.evaluation.result import SprtResult, TournamentResult
from starspiel.evaluation.statistics.sprt import Sprt
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.store import Store

FORMATS = {"round-robin": round_robin, "gauntlet": gauntlet}
#: The schedule is a list in memory: about a third of a gigabyte for as many games between two agents.
MOST_GAMES = 2_000_000


class Engine(Protocol):
    """Who plays the pairs of a Job, in any order: this process, local workers, a cluster."""

    @property
    def limits(self) -> HardLimits:
        """What agents may use before they have lost the game."""

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        """The records as they are finished; closing the generator stops the play."""


class InProcess:
    """Plays the pairs one after the other in this process: least overhead, no protection from crashes."""

    limits = HardLimits()

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        for pair in schedule:
            yield job.play(pair)


@dataclass(frozen=True)
class Progress:
    """Where a running tournament stands; handed to `on_pair` after each pair.

    Attributes:
        done, total: pairs, stored ones included.
        stored: pairs that were in the store already.
        seconds: wall-clock seconds so far.
        tally: the sums so far; changes as the tournament goes on.
        last: the pair just finished.
        names: the agents.
    """

    done: int
    total: int
    stored: int
    seconds: float
    tally: Tally
    last: PairRecord
    names: tuple[str, ...]


def tournament(
    game: Any,
    agents: AgentsLike,
    pairs: int = 10,
    seed: int = 1,
    *,
    format: str = "round-robin",
    sprt: Sprt | str | None = None,
    starts: StartsLike = None,
    luck: Evaluator | str | None = None,
    anchor: str | None = None,
    clock: float | None = None,
    workers: int = 1,
    limits: HardLimits | None = None,
    engine: Engine | None = None,
    store: str | Path | None = None,
    on_pair: Callable[[Progress], None] | None = None,
    on_luck: Callable[[int, int], None] | None = None,
) -> TournamentResult:
    """Plays a tournament and returns its result.

    Everything is checked before the first game. Ctrl-C ends the tournament early: the result then holds the
    pairs that were finished.

    Args:
        game: a game string or anything else that `load_game` takes. In one-player games everybody plays
            alone, on common dice.
        agents: specs such as `star2(depth=2)` or `star2(depth={1,2,3})` (three agents), or names mapped to
            specs or to factories `(game, seat, seed) -> bot`.
        pairs: how many pairs every two agents play (with `sprt`: at most).
        seed: of the dice and the agents.
        format: "round-robin", or "gauntlet": the first agent against each other.
        sprt: a test that ends a match of two agents by itself, e.g. "nelo0=0,nelo1=5".
        starts: histories to start from in turn, or a file with one a line.
        luck: an evaluator or its spec: returns are also shown luck-adjusted.
        anchor: the agent whose Elo is 0; without one, 0 is the mean of the field.
        clock: seconds a move for every agent that takes `seconds` and is given none. Of all agents, moves
            10 % over it are counted, in CPU and in wall-clock time.
        workers: processes that play. With one, no limits and no agent of somebody's module, the games are
            played in this process: a bot that crashes ends the tournament. In worker processes it loses its
            own games only.
        limits: what an agent may use before it has lost the game; implies worker processes.
        engine: who plays, instead of `workers`.
        store: a file that keeps every game. Pairs that it holds are not played again, and the result has no
            `pairs` of its own.
        on_pair: called after each pair.
        on_luck: called after the luck of each stored game that had none yet by this evaluator, with how many
            such games are done, and how many there are.

    Raises StarspielError where something named is not there or cannot be played.
    """
    pairs, seed, workers = _whole("pairs", pairs), _whole("seed", seed), _whole("workers", workers)
    _check_kinds(
        (clock, Real | None, "clock: seconds"),
        (format, str, "format: a name"),
        (sprt, Sprt | str | None, 'sprt: a text such as "nelo0=0,nelo1=5"'),
        (anchor, str | None, "anchor: an agent's name"),
        (limits, HardLimits | None, "limits: HardLimits(move_seconds=…, memory_mb=…)"),
        (store, str | Path | None, "store: a path"),
    )
    if engine is not None and not callable(getattr(engine, "play", None)):
        raise StarspielError(
            f"expected for engine: something that plays, such as RayCluster(), got {engine!r}."
        )
    move_seconds = None if limits is None else limits.move_seconds
    job = prepare(game, agents, seed, luck=luck, starts=starts, clock=clock, move_seconds=move_seconds)
    job, schedule, test = checked_plan(job, pairs, format, sprt, anchor)
    if engine is None:
        trusted = limits is None and not any(entrant.is_foreign for entrant in job.field)
        engine = InProcess() if workers == 1 and trusted else LocalWorkers(workers, limits)
    check_memory(job, engine.limits)
    names = [entrant.name for entrant in job.field]
    run = _Run(job, schedule, test, on_pair)
    if store is None:
        run.play(engine, schedule)
    else:
        with Store(store, limits=engine.limits) as opened:
            configuration = _configuration(job, pairs, format, test)
            opened.add_run(
                configuration
                | {
                    "engine": type(engine).__name__,
                    "workers": workers,
                    "limits": repr(engine.limits),
                }
            )
            run.play(engine, run.resume(opened, on_luck))
    return run.result(None if anchor is None else names.index(anchor))


def _whole(name: str, number: Any) -> int:
    """A number of Python's or NumPy's as an int. Raises StarspielError where it is none."""
    try:
        return index(number)
    except TypeError:
        raise StarspielError(f"expected for {name}: a whole number, got {number!r}.") from None


def _check_kinds(*expected: tuple[Any, Any, str]) -> None:
    """Raises StarspielError for the first (value, type, words) where the value is of another type."""
    for value, kind, words in expected:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise StarspielError(f"expected for {words}, got {value!r}.")


def checked_plan(
    job: Job, pairs: int, format: str, sprt: Sprt | str | None, anchor: str | None
) -> tuple[Job, list[Pair], Sprt | None]:
    """The job, its schedule, and the test that ends it. Raises StarspielError where they do not fit."""
    if pairs < 1:
        raise StarspielError(f"expected at least 1 pair, got {pairs}.")
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    if test is not None and (len(job.field) != 2 or job.game.num_players != 2):
        raise StarspielError(
            f"SPRT is a match of two agents in a two-player game, got {len(job.field)} in {job.game.name}; "
            "name the two."
        )
    schedule = make_schedule(job, pairs, format)
    names = [entrant.name for entrant in job.field]
    if anchor is not None and anchor not in names:
        raise StarspielError(f"the anchor {anchor!r} is not one of the agents.{did_you_mean(anchor, names)}")
    return replace(job, sequential=test is not None), schedule, test


def make_schedule(job: Job, pairs: int, format: str = "round-robin") -> list[Pair]:
    """All pairs of a tournament, in the order they are best played."""
    if format not in FORMATS:
        raise StarspielError(f"there is no format {format!r}.{did_you_mean(format, FORMATS)}")
    make = solo if job.game.num_players == 1 else FORMATS[format]
    a_round = sum(len(list(pair.seatings())) for pair in make(len(job.field), 1))
    if a_round * pairs > MOST_GAMES:
        raise StarspielError(
            f"expected at most {MOST_GAMES:,} games in a tournament, got {a_round * pairs:,}; play at most "
            f"{MOST_GAMES // a_round:,} pairs a meeting."
        )
    return list(make(len(job.field), pairs, len(job.starts)))


def _configuration(job: Job, pairs: int, format: str, test: Sprt | None) -> dict[str, Any]:
    return {
        "game": job.game.name,
        "agents": dict(zip((entrant.name for entrant in job.field), job.identities, strict=True)),
        "pairs": pairs,
        "seed": job.seed,
        "format": format,
        "sprt": None if test is None else str(test),
        "starts": [list(start) for start in job.starts],
        "luck": job.luck_identity,
        "clock": job.clock,
    }


class _Run:
    """A tournament as it goes on."""

    def __init__(
        self,
        job: Job,
        schedule: Sequence[Pair],
        test: Sprt | None,
        on_pair: Callable[[Progress], None] | None,
    ) -> None:
        self._job = job
        self._names = tuple(entrant.name for entrant in job.field)
        self._schedule = schedule
        self._sequence = None if test is None else _Sequence(test)
        self._on_pair = on_pair
        self._tally = Tally(len(job.field))
        self._records: list[PairRecord] = []
        self._store: Store | None = None
        self._stored = 0
        self._began = perf_counter()
        self._interrupted = False

    def resume(self, store: Store, on_luck: Callable[[int, int], None] | None = None) -> list[Pair]:
        """Counts what the store holds already and returns what is missing; that goes there too."""
        self._store = store
        finished = store.finished(self._job, self._schedule, on_luck)
        if self._sequence is None:
            self._tally.count_columns(finished.columns)
            for counted in finished.faulty:
                self._tally.count(*counted)
        else:
            for counted in finished.each():
                self._count(*counted)
        done = finished.pairs
        self._stored = len(done)
        return [pair for pair in self._schedule if pair not in done]

    def play(self, engine: Engine, pairs: Sequence[Pair]) -> None:
        """Plays the pairs; Ctrl-C or the sequential test ends it."""
        try:
            with closing(engine.play(self._job, pairs)) as played:
                while not self._decided and (record := next(played, None)):
                    self._take(record)
        except KeyboardInterrupt:
            self._interrupted = True

    @property
    def _decided(self) -> bool:
        return self._sequence is not None and self._sequence.verdict is not None

    def _take(self, record: PairRecord) -> None:
        if self._store is None:
            self._records.append(record)
        else:
            self._store.save(self._job, record)
        self._count(
            record.pair, [game.outcome for game in record.games], [agent for agent, _ in record.voided]
        )
        if self._on_pair is not None:
            progress = Progress(
                done=self._tally.pairs,
                total=len(self._schedule),
                stored=self._stored,
                seconds=perf_counter() - self._began,
                tally=self._tally,
                last=record,
                names=self._names,
            )
            self._on_pair(progress)

    def _count(self, pair: Pair, outcomes: list[Outcome], voided: list[int]) -> None:
        if self._sequence is None:
            self._tally.count(pair, outcomes, voided)
            return
        for counted in self._sequence.released(self._tally, pair, outcomes, voided):
            self._tally.count(*counted)

    def result(self, anchor: int | None) -> TournamentResult:
        """What has been played."""
        records = sorted(self._records, key=lambda record: (record.pair.number, record.pair.agents))
        if self._sequence is not None:
            records = records[: self._tally.pairs]
        return TournamentResult(
            game=self._job.game.name,
            seed=self._job.seed,
            agents=self._names,
            planned_pairs=len(self._schedule),
            tally=self._tally,
            seconds=perf_counter() - self._began,
            interrupted=self._interrupted,
            pairs=tuple(records),
            anchor=anchor,
            luck_evaluator=None if self._job.luck is None else self._job.luck.name,
            sprt=None if self._sequence is None else self._sequence.result(self._tally),
            specs=self._job.identities,
            starts=self._job.starts,
            clock=self._job.clock,
            timed=tuple(entrant.name for entrant in self._job.field if entrant.has_clock),
            clockless=()
            if self._job.clock is None
            else tuple(entrant.name for entrant in self._job.field if not entrant.has_clock),
        )


class _Sequence:
    """The pairs of an SPRT match in the order of their numbers, whatever order they are finished in.

    Workers finish pairs in any order; a test that took them as they come would favour short games, and would
    end differently in every run.
    """

    def __init__(self, test: Sprt) -> None:
        self.test = test
        self.verdict: str | None = None
        self._next = 0
        self._early: dict[int, tuple[Pair, list[Outcome], list[int]]] = {}

    def released(
        self, tally: Tally, pair: Pair, outcomes: list[Outcome], voided: list[int]
    ) -> Iterator[tuple[Pair, list[Outcome], list[int]]]:
        """The pairs to count now; the verdict is taken after each has been counted, and ends it."""
        self._early[pair.number] = (pair, outcomes, voided)
        while self.verdict is None and self._next in self._early:
            yield self._early.pop(self._next)
            self._next += 1
            self.verdict = self.test.verdict(tally.results.five(0, 1))

    def result(self, tally: Tally) -> SprtResult:
        five = tally.results.five(0, 1)
        return SprtResult(self.test, five, self.test.llr(five), self.verdict)
