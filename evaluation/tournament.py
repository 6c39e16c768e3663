"""Tournaments: agents against each other in pairs of games with common dice and swapped seats."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.hard_limits import HardLimits
from starspiel.envs.errors import StarspielError, shown
from starspiel.evaluation.attempts import Attempts, Begin, say_what_is_begun_again
from starspiel.evaluation.field import AgentsLike
from starspiel.evaluation.plan import Plan, plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Outcome, PairRecord, Void
from starspiel.evaluation.processes.executor import Executor
from starspiel.evaluation.result import SprtResult, TournamentResult
from starspiel.evaluation.settings import checked, unexpected
from starspiel.evaluation.starts import StartsLike
from starspiel.evaluation.statistics.sprt import Sprt
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.finished import finished
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import check_sample


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
        gauntlet: whether the first agent meets each other, and nobody else anyone.
    """

    done: int
    total: int
    stored: int
    seconds: float
    tally: Tally
    last: PairRecord
    names: tuple[str, ...]
    gauntlet: bool = False


def tournament(
    game: Any,
    agents: AgentsLike,
    pairs: int = 10,
    seed: int | None = None,
    *,
    secret: bool = False,
    key: str | None = None,
    common_dice: bool = False,
    format: str = "round-robin",
    sprt: Sprt | str | None = None,
    part: str | None = None,
    starts: StartsLike = None,
    luck: Evaluator | str | None = None,
    anchor: str | None = None,
    clock: float | None = None,
    workers: int = 1,
    limits: HardLimits | None = None,
    engine: Executor | None = None,
    store: str | Path | None = None,
    on_pair: Callable[[Progress], None] | None = None,
    on_luck: Callable[[int, int], None] | None = None,
) -> TournamentResult:
    """Plays a tournament and returns its result.

    Everything is checked before the first game. Ctrl-C ends the tournament early: the result then holds the
    pairs that were finished.

    Args:
        game: a game string or anything else that `load_game` takes. In one-player games everybody plays
            alone, on common dice; where chance outcomes are not listed, from common starts: a pair has one
            seed, and each of its games its own dice from there.
        agents: specs such as `star2(depth=2)` or `star2(depth={1,2,3})` (three agents), or names mapped to
            specs or to factories `(game, seat, seed) -> bot`.
        pairs: how many pairs every two agents play (with `sprt`: at most).
        seed: of the dice and the agents; 1 where neither it, `secret` nor `key` is given.
        secret: draws a key of 128 bits that they come from instead; the result and the store have it.
        key: such a key, to play its games again.
        common_dice: whether both games of a pair have the same dice also where an agent of a module or a
            program plays, which could remember the first of them.
        format: "round-robin", or "gauntlet": the first agent against each other.
        sprt: a test that ends a match of two agents by itself, e.g. "nelo0=0,nelo1=5".
        part: "1/2" for the first half of the pairs, "2/2" for the other; their stores can be merged.
        starts: histories to start from in turn, or a file with one a line.
        luck: an evaluator or its spec: returns are also shown luck-adjusted.
        anchor: the agent whose Elo is 0; defaults to the mean of the agents that the results bound.
        clock: seconds a move for every agent that takes `seconds` and is given none. Of all agents, moves
            10 % over it are counted, in CPU and in wall-clock time.
        workers: processes that play; with one, this process is the referee. Agents named by their module or
            their program, and all where there are limits, sit in processes of their own and lose their own
            games only; what is given as a Python object plays in the referee's.
        limits: what an agent may use before it has lost the game.
        engine: who plays, instead of `workers`.
        store: a file that keeps every game. Pairs that it holds are not played again, and the result has no
            `pairs` of its own.
        on_pair: called after each pair.
        on_luck: called after the luck of each stored game that had none yet by this evaluator, with how many
            such games are done, and how many there are.

    Raises StarspielError where something named is not there or cannot be played.
    """
    if engine is not None and not callable(getattr(engine, "play", None)):
        raise StarspielError(
            f"expected for engine: something that plays, such as RayCluster(), got {shown(engine)}."
        )
    if not isinstance(limits, HardLimits | None):
        raise StarspielError(
            f"expected for limits: HardLimits(move_seconds=…, memory_mb=…), got {shown(limits)}."
        )
    if pairs is None:
        raise unexpected("pairs", pairs)
    settings = checked(
        game=game,
        agents=agents,
        pairs=pairs,
        seed=seed,
        secret=secret,
        key=key,
        common_dice=common_dice,
        format=format,
        sprt=sprt,
        part=part,
        starts=starts,
        luck=luck,
        anchor=anchor,
        clock=clock,
        workers=workers,
        move_limit=None if limits is None else limits.move_seconds,
        memory_limit=None if limits is None else limits.memory_mb,
        cpu_limit=None if limits is None else limits.cpu_seconds,
        store=store,
    )
    return play(plan(settings, engine), on_pair, on_luck)


def play(
    plan: Plan,
    on_pair: Callable[[Progress], None] | None = None,
    on_luck: Callable[[int, int], None] | None = None,
) -> TournamentResult:
    """Plays what is planned, but for what its store holds, and returns the result; as `tournament`."""
    current = _Tournament(plan, on_pair)
    with current.missing(on_luck) as pairs:
        try:
            with closing(plan.executor.play(plan.referee, pairs, current.begin)) as played:
                while not current.decided and (record := next(played, None)):
                    current.take(record)
        except KeyboardInterrupt:
            current.interrupted = True
    return current.result()


class _Tournament:
    """A tournament as it goes on."""

    def __init__(self, plan: Plan, on_pair: Callable[[Progress], None] | None) -> None:
        self._plan = plan
        self._sequence = None if plan.test is None else _Sequence(plan.test)
        self._on_pair = on_pair
        self._tally = Tally(len(plan.names))
        self._records: list[PairRecord] = []
        self._store: Store | None = None
        self._number_attempts: Begin = Attempts(plan.job).begin
        self._stored = 0
        self._began = perf_counter()
        self.interrupted = False

    @contextmanager
    def missing(self, on_luck: Callable[[int, int], None] | None) -> Iterator[Sequence[Pair]]:
        """The pairs that are still to be played; within it, they go to the store, if there is one."""
        plan, job = self._plan, self._plan.job
        if plan.settings.store is None:
            yield plan.schedule
            return
        with Store(plan.settings.store, limits=plan.executor.limits) as store:
            store.check()
            check_sample(store, game=job.game, context=job.context, key=job.key)
            is_known = job.key is not None and store.holds_key(job.key)
            run = store.add_run(plan.to_dict())
            try:
                missing = self._resume(store, on_luck)
                if is_known:
                    self._refuse_strangers(missing)
                yield missing
            finally:
                if self.key:
                    store.publish(run, self.key)

    def _resume(self, store: Store, on_luck: Callable[[int, int], None] | None) -> list[Pair]:
        """Counts what the store holds already and returns what is missing; that goes there too."""
        self._store = store
        self._number_attempts = partial(store.begin, self._plan.job)
        found = finished(store, self._plan.job, self._plan.schedule, self._plan.referee.luck_of, on_luck)
        if self._sequence is None:
            self._tally.count_all(found.faultless)
            for counted in found.faulty:
                self._tally.count(*counted)
        else:
            for counted in found.each():
                self._count(*counted)
        done = found.pairs
        self._stored = len(done)
        return [pair for pair in self._plan.schedule if pair not in done]

    def _refuse_strangers(self, pairs: Sequence[Pair]) -> None:
        """Raises StarspielError where foreign agents would play on by a key that they may have read."""
        foreign = self._plan.job.foreign
        if not self.decided and not all(foreign.isdisjoint(pair.agents) for pair in pairs):
            raise StarspielError(
                f"the key stands in {self._plan.settings.store}, where agents of modules and programs may "
                "have read it: they can play no more games by it. Begin another tournament in another store, "
                "with a key of your own if you may want to go on: that is kept until all is played."
            )

    @property
    def key(self) -> str | None:
        """The key that may be shown; "" for one that its owner keeps until all is played, None without one.

        A key that was drawn here is shown at any end: without it the run could not be repeated.
        """
        job, settings = self._plan.job, self._plan.settings
        over = self.decided or self._tally.pairs == len(self._plan.schedule)
        return job.key if settings.key is None or (over and settings.part is None) else ""

    def begin(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs, about to be played, with the number of the attempt."""
        begun = self._number_attempts(pairs)
        say_what_is_begun_again(begun, self._plan.names)
        return begun

    @property
    def decided(self) -> bool:
        """Whether the sequential test has accepted a hypothesis."""
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
            )
            self._on_pair(progress)

    def _count(self, pair: Pair, outcomes: list[Outcome], voided: list[Void]) -> None:
        if self._sequence is None:
            self._tally.count(pair, outcomes, voided)
            return
        for counted in self._sequence.released(self._tally, pair, outcomes, voided):
            self._tally.count(*counted)

    def result(self) -> TournamentResult:
        """What has been played."""
        records = sorted(self._records, key=lambda record: (record.pair.number, record.pair.agents))
        if self._sequence is not None:
            records = records[: self._tally.pairs]
        job = self._plan.job
        field, luck = self._plan.referee.field, self._plan.referee.luck
        clockless = () if job.clock is None else [entrant for entrant in field if not entrant.has_clock]
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
            sprt=None if self._sequence is None else self._sequence.result(self._tally),
            specs=job.identities,
            starts=job.starts,
            clock=job.clock,
            timed=tuple(entrant.name for entrant in field if entrant.has_clock),
            clockless=tuple(entrant.name for entrant in clockless),
            common_starts=not job.game.explicit_chance,
            own_dice=() if job.common_dice else tuple(job.names[agent] for agent in sorted(job.foreign)),
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
        self._early: dict[int, tuple[Pair, list[Outcome], list[Void]]] = {}

    def released(
        self, tally: Tally, pair: Pair, outcomes: list[Outcome], voided: list[Void]
    ) -> Iterator[tuple[Pair, list[Outcome], list[Void]]]:
        """The pairs to count now; the verdict is taken after each has been counted, and ends it."""
        self._early[pair.number] = (pair, outcomes, voided)
        while self.verdict is None and self._next in self._early:
            yield self._early.pop(self._next)
            self._next += 1
            self.verdict = self.test.verdict(tally.results.five(0, 1))

    def result(self, tally: Tally) -> SprtResult:
        five = tally.results.five(0, 1)
        return SprtResult(self.test, five, self.test.llr(five), self.verdict)
