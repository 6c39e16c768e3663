"""Plays the missing pairs of a plan, or stops early if a sequential test decides."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from starspiel.envs.base import has_vector_values
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.attempts import Attempts, Begin, say_what_is_begun_again
from starspiel.evaluation.plan import Plan
from starspiel.evaluation.play.faults import shares_known
from starspiel.evaluation.play.pairing import Pair, units
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.sequential import Sequential
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.finished import finished
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import check_sample


@dataclass(frozen=True)
class Progress:
    """The progress of a tournament: pairs done and in total, including those `stored` before.

    Attributes:
        seconds: wall-clock seconds so far.
        tally: the sums so far; the same object is updated as the tournament continues.
        last: the record of the pair just finished.
        gauntlet: whether the first agent meets all others, and these do not meet each other.
        units: what is counted: "pairs", "games" with one player, or "blocks" with more than two.
    """

    done: int
    total: int
    stored: int
    seconds: float
    tally: Tally
    last: PairRecord
    names: tuple[str, ...]
    gauntlet: bool = False
    units: str = "pairs"


def play(
    plan: Plan,
    on_pair: Callable[[Progress], None] | None = None,
    on_luck: Callable[[int, int], None] | None = None,
) -> TournamentResult:
    """Plays the missing pairs of a plan and returns the result; the callbacks are those of `tournament`."""
    current = _Tournament(plan, on_pair)
    with current.missing(on_luck) as (pairs, begin):
        try:
            with closing(plan.executor.play(plan.referee, pairs, begun(plan, begin))) as played:
                while not current.decided and (record := next(played, None)):
                    current.take(record)
        except KeyboardInterrupt:
            current.interrupted = True
    return current.result()


@contextmanager
def opened(plan: Plan) -> Iterator[Store]:
    """A context with the plan's store, checked for damage, and a sample of it against rules and dice."""
    assert plan.settings.store is not None
    with Store(plan.settings.store, limits=plan.executor.limits) as store:
        store.check()
        check_sample(store, game=plan.job.game, context=plan.job.context, key=plan.job.key)
        yield store


def begun(plan: Plan, number: Begin) -> Begin:
    """Returns a function that numbers attempts by `number`, and warns of pairs that were started before."""

    def begin(pairs: Sequence[Pair]) -> list[Pair]:
        numbered = number(pairs)
        say_what_is_begun_again(numbered, plan.names)
        return numbered

    return begin


class _Tournament:
    """A running tournament: its tally, records or store, and sequential test."""

    def __init__(self, plan: Plan, on_pair: Callable[[Progress], None] | None) -> None:
        self._plan = plan
        self._sequence = None if plan.test is None else Sequential(plan.test, plan.job.game.num_players)
        self._on_pair = on_pair
        game = plan.job.game
        self._tally = Tally(
            len(plan.names), by_means=has_vector_values(game), shares_known=shares_known(game)
        )
        self._records: list[PairRecord] = []
        self._store: Store | None = None
        self._stored = 0
        self._began = perf_counter()
        self.interrupted = False

    @contextmanager
    def missing(self, on_luck: Callable[[int, int], None] | None) -> Iterator[tuple[Sequence[Pair], Begin]]:
        """A context with the pairs still to be played, and a function that numbers the attempts at them.

        Within it, finished pairs are saved to the store, if there is one. Stored pairs are counted first.
        """
        plan, job = self._plan, self._plan.job
        if plan.settings.store is None:
            yield plan.schedule, Attempts(job).begin
            return
        with opened(plan) as store:
            self._store = store
            is_known = job.key is not None and store.holds_key(job.key)
            run = store.add_run(plan.to_dict())
            try:
                found = finished(store, job, plan.schedule, plan.referee.luck_of, on_luck)
                if self._sequence is None:
                    self._tally.count_all(found.faultless)
                for counted in found.faulty if self._sequence is None else found.each():
                    self._count(*counted)
                done = found.pairs
                self._stored = len(done)
                missing = [pair for pair in plan.schedule if pair not in done]
                if is_known:
                    self._refuse_strangers(missing)
                yield missing, partial(store.begin, job)
            finally:
                if self.key:
                    store.publish(run, self.key)

    def _refuse_strangers(self, pairs: Sequence[Pair]) -> None:
        """Raises StarspielError if external agents would continue with a key that they may have read."""
        foreign = self._plan.job.foreign
        if not self.decided and not all(foreign.isdisjoint(pair.agents) for pair in pairs):
            raise StarspielError(
                f"the key is stored in {self._plan.settings.store}, where agents of modules and programs may "
                "have read it: they can play no more games with it. Start a new tournament in a new store, "
                "with a key of your own if you may want to resume: it is kept secret until all is played."
            )

    @property
    def key(self) -> str | None:
        """The key that may be shown; "" for a given key until all pairs are played, None without a key.

        A key drawn by this run is always shown at the end: without it the run could not be repeated.
        """
        job, settings = self._plan.job, self._plan.settings
        over = self.decided or self._tally.pairs == len(self._plan.schedule)
        return job.key if settings.key is None or (over and settings.part is None) else ""

    @property
    def decided(self) -> bool:
        """Whether the sequential test has decided."""
        return self._sequence is not None and self._sequence.verdict is not None

    def take(self, record: PairRecord) -> None:
        """Stores and counts a finished pair."""
        if self._store is None:
            self._records.append(record)
        else:
            self._store.save(self._plan.job, record)
        self._count(record.pair, [game.outcome for game in record.games], record.voids)
        if self._on_pair is not None:
            progress = Progress(
                done=self._tally.pairs,
                total=len(self._plan.schedule),
                stored=self._stored,
                seconds=perf_counter() - self._began,
                tally=self._tally,
                last=record,
                names=self._plan.names,
                gauntlet=self._plan.settings.format == "gauntlet",
                units=units(self._plan.job.game.num_players),
            )
            self._on_pair(progress)

    def _count(self, *pair: Any) -> None:
        for counted in [pair] if self._sequence is None else self._sequence.released(pair):
            self._tally.count(*counted)

    def result(self) -> TournamentResult:
        """Returns the result of what has been played so far."""
        records = sorted(self._records, key=lambda record: (record.pair.number, record.pair.agents))
        if self._sequence is not None:
            records = records[: self._tally.pairs]
        job = self._plan.job
        field, luck = self._plan.referee.field, self._plan.referee.luck
        timed = tuple(entrant.name for entrant in field if entrant.has_clock)
        return TournamentResult(
            game=job.game.name,
            seed=job.seed,
            key=self.key,
            agents=self._plan.names,
            planned_pairs=len(self._plan.schedule),
            tally=self._tally,
            seconds=perf_counter() - self._began,
            interrupted=self.interrupted,
            pairs=tuple(records),
            anchor=self._plan.anchor,
            settings=self._plan.settings,
            sources=tuple(entrant.source if isinstance(entrant.source, str) else None for entrant in field),
            luck_evaluator=None if luck is None else luck.name,
            sprt=None if self._sequence is None else self._sequence.result,
            specs=job.identities,
            starts=job.starts,
            clock=job.clock,
            timed=timed,
            clockless=() if job.clock is None else tuple(name for name in job.names if name not in timed),
            common_starts=not job.game.explicit_chance,
            own_dice=() if job.common_dice else tuple(job.names[agent] for agent in sorted(job.foreign)),
        )
