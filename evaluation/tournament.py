"""Tournaments: every agent against every other in pairs of games with common dice and swapped seats."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.roster import as_evaluator
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.match import Entrant, Job, PairRecord, PlayerFactory
from starspiel.evaluation.pairing import Pair, round_robin, solo
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.store import Store
from starspiel.evaluation.tally import Tally
from starspiel.evaluation.workers import HardLimits, LocalWorkers

#: An agent: its spec, or (name, spec or factory).
AgentLike = str | tuple[str, str | PlayerFactory] | Entrant


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
    agents: Sequence[AgentLike] | Mapping[str, str | PlayerFactory],
    pairs: int = 10,
    seed: int = 1,
    *,
    luck: Evaluator | str | None = None,
    workers: int = 1,
    limits: HardLimits | None = None,
    store: str | Path | None = None,
    on_pair: Callable[[Progress], None] | None = None,
) -> TournamentResult:
    """Plays a round robin (in one-player games: everyone on common dice) and returns its result.

    `agents` are specs such as `star2(depth=2)`, or names mapped to specs or to factories
    `(game, seat, seed) -> bot`. Everything is checked before the first game. Ctrl-C ends the tournament
    early: the result then holds the pairs that were finished. With `luck`, an evaluator or its spec, returns
    are also shown luck-adjusted.

    With one worker the games are played in this process, which has no overhead and no protection: a bot that
    crashes ends the tournament. With more workers, or hard limits, they are played in worker processes: an
    agent that crashes, hangs past `limits.move_seconds` or eats more than `limits.memory_mb` loses that game
    only.

    With `store`, a file, every game is kept there, pairs that it holds are not played again, and the result
    has no `pairs` of its own.

    Raises StarspielError where the game, an agent or a number is not one that can be played.
    """
    job = prepare(game, agents, pairs, seed, luck)
    count = len(job.field)
    schedule = list(solo(count, pairs) if job.game.num_players == 1 else round_robin(count, pairs))
    run = _Run(job, schedule, on_pair)
    if store is None:
        run.play(schedule, workers, limits)
    else:
        with Store(store) as opened:
            opened.add_run({"game": job.game.name, "agents": list(run.names), "pairs": pairs, "seed": seed})
            run.play(run.resume(opened), workers, limits)
    return run.result()


class _Run:
    """A tournament as it goes on."""

    def __init__(
        self, job: Job, schedule: Sequence[Pair], on_pair: Callable[[Progress], None] | None
    ) -> None:
        self.job = job
        self.names = tuple(entrant.name for entrant in job.field)
        self._schedule = schedule
        self._on_pair = on_pair
        self._tally = Tally(len(job.field))
        self._records: list[PairRecord] = []
        self._store: Store | None = None
        self._stored = 0
        self._began = perf_counter()
        self._interrupted = False

    def resume(self, store: Store) -> list[Pair]:
        """Counts what the store holds already and returns what is missing; that goes there too."""
        self._store = store
        done = set()
        for pair, outcomes, voided in store.finished(self.job, self._schedule):
            self._tally.count(pair, outcomes, voided)
            done.add(pair)
        self._stored = len(done)
        return [pair for pair in self._schedule if pair not in done]

    def play(self, pairs: Sequence[Pair], workers: int, limits: HardLimits | None) -> None:
        """Plays the pairs; Ctrl-C ends it."""
        try:
            with closing(_played(self.job, pairs, workers, limits)) as played:
                for record in played:
                    self._take(record)
        except KeyboardInterrupt:
            self._interrupted = True

    def _take(self, record: PairRecord) -> None:
        if self._store is None:
            self._records.append(record)
        else:
            self._store.save(self.job, record)
        self._tally.add(record)
        if self._on_pair is not None:
            progress = Progress(
                done=self._tally.pairs,
                total=len(self._schedule),
                stored=self._stored,
                seconds=perf_counter() - self._began,
                tally=self._tally,
                last=record,
                names=self.names,
            )
            self._on_pair(progress)

    def result(self) -> TournamentResult:
        """What has been played."""
        records = sorted(self._records, key=lambda record: (record.pair.number, record.pair.agents))
        return TournamentResult(
            game=self.job.game.name,
            seed=self.job.seed,
            agents=self.names,
            planned_pairs=len(self._schedule),
            tally=self._tally,
            seconds=perf_counter() - self._began,
            interrupted=self._interrupted,
            pairs=tuple(records),
            luck_evaluator=None if self.job.luck is None else self.job.luck.name,
        )


def _played(
    job: Job, schedule: Sequence[Pair], workers: int, limits: HardLimits | None
) -> Generator[PairRecord, None, None]:
    if workers == 1 and limits is None:
        return in_process(job, schedule)
    return LocalWorkers(workers, limits).play(job, schedule)


def in_process(job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
    """Plays the pairs one after the other in this process: least overhead, no protection from crashes."""
    for pair in schedule:
        yield job.play(pair)


def prepare(
    game: Any,
    agents: Sequence[AgentLike] | Mapping[str, str | PlayerFactory],
    pairs: int,
    seed: int,
    luck: Evaluator | str | None = None,
) -> Job:
    """The Job for these agents on this game, with every agent built once in every seat as a check."""
    field = entrants(agents)
    if pairs < 1:
        raise StarspielError(f"expected at least 1 pair, got {pairs}.")
    loaded = load_game(game)
    if not loaded.explicit_chance:
        raise StarspielError(
            f"{loaded.name} does not list its chance outcomes, so its dice cannot be shared between games; "
            "declare the rules (see DiceGameEnv) or the table P."
        )
    if loaded.num_players == 2 and len(field) < 2:
        raise StarspielError(f"expected at least two agents for {loaded.name}, got {len(field)}.")
    check_agents(loaded, field)
    return Job(loaded, field, seed, luck=None if luck is None else as_evaluator(luck, loaded, seed))


def entrants(agents: Sequence[AgentLike] | Mapping[str, str | PlayerFactory]) -> tuple[Entrant, ...]:
    """The field, in order; names must differ."""
    listed: Sequence[AgentLike] = list(agents.items()) if isinstance(agents, Mapping) else agents
    if isinstance(listed, str):
        raise StarspielError(f"expected a list of agents, got the string {listed!r}.")
    field = []
    for agent in listed:
        if isinstance(agent, Entrant):
            field.append(agent)
        elif isinstance(agent, str):
            field.append(Entrant(agent, agent))
        else:
            field.append(Entrant(*agent))
    if not field:
        raise StarspielError("expected at least one agent, got none.")
    seen: set[str] = set()
    for entrant in field:
        if entrant.name in seen:
            raise StarspielError(f"agent {entrant.name!r} is listed twice; give one of them another name.")
        seen.add(entrant.name)
    return tuple(field)


def check_agents(game: Game, field: Sequence[Entrant]) -> None:
    """Builds every agent once in every seat; what it raises says which agent cannot play."""
    for entrant in field:
        for seat in range(game.num_players):
            entrant.bot(game, seat, 1)
