"""Provides `Ladder`: a continuing tournament that agents can join, and that plays the most informative pairs.

Its folder contains `ladder.json`, with its game, seed and agents, and `games.db`, the store of all its games.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import msgspec

from starspiel.agents.ray_cluster import connected, imported_ray
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.load import load_game
from starspiel.envs.trust import check_consent, foreign_names
from starspiel.evaluation.checked_settings import checked, checked_key
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.environment import versions
from starspiel.evaluation.field import field_for
from starspiel.evaluation.ladder_file import Entry, LadderFile, LadderSettings, locked, read, write
from starspiel.evaluation.plan import Plan, plan
from starspiel.evaluation.play.faults import shares_known
from starspiel.evaluation.play.lineups import Lineup, seated
from starspiel.evaluation.play.pairing import Pair, units
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.processes.concealed import conceal
from starspiel.evaluation.referee import GRACE
from starspiel.evaluation.renumbered import renumbered
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.run import Progress, begun, opened
from starspiel.evaluation.settings import Settings
from starspiel.evaluation.statistics.selection import most_telling, most_telling_lineups
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.finished import held
from starspiel.evaluation.store.store import Store

__all__ = ["Entry", "Ladder", "LadderSettings"]

#: The minimum number of pairs chosen at a time; otherwise it is a tenth of those to play.
_AT_ONCE = 10


class Ladder:
    """The ladder in a folder. `rules` create a new one; if one exists, they must equal its own.

    `trust` is consent to run the code that its file names: modules of its game and agents, and programs. A
    ladder created with a `key` (32 secret hexadecimal digits) can only be played with that key.

    Raises StarspielError if the folder holds no ladder and `rules` is None, or if the rules or key differ.
    """

    def __init__(
        self,
        folder: str | Path,
        rules: LadderSettings | None = None,
        *,
        trust: bool = False,
        key: str | None = None,
    ) -> None:
        self._key = None if key is None else checked_key(key)
        self.folder = Path(folder)
        self.store = self.folder / "games.db"
        self._path = self.folder / "ladder.json"
        self._trust = trust
        self._is_told = rules is not None
        self._agreed: set[str] = set()
        if self._key is not None:
            conceal()
            rules = None if rules is None else rules.with_key(self._key)
        if self._path.exists():
            self._file = read(self._path)
            if self._key is not None and self.rules.with_key(self._key) != self.rules:
                raise StarspielError(f"this is not the key that the ladder {self.folder} was created with.")
            if rules is not None:
                self.rules.check_same(rules, self.folder)
        elif rules is None:
            raise StarspielError(
                f"there is no ladder in {self.folder}; `starspiel ladder {self.folder} add SPEC… --game "
                "GAME` creates one."
            )
        else:
            self._file = LadderFile(rules=rules.with_full_name())

    @staticmethod
    def is_in(folder: str | Path) -> bool:
        """Returns whether the folder holds a ladder."""
        return (Path(folder) / "ladder.json").exists()

    @property
    def rules(self) -> LadderSettings:
        """The settings that its games have in common."""
        return self._file.rules

    @property
    def agents(self) -> tuple[Entry, ...]:
        """All agents in the order they were added, including retired ones."""
        return self._file.agents

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.agents)

    def add(self, agents: Sequence[str]) -> list[Entry]:
        """Adds agents given as spec or name=spec, and runs their code: each is made once in every seat.

        Raises StarspielError if an agent cannot be made or its name is taken; then none is added.
        """
        if not self._is_told:
            self.check_consent()
        game = load_game(self.rules.game)
        if game.num_players < 2 or (game.num_players == 2 and has_vector_values(game)):
            raise StarspielError(
                "ladders support zero-sum games of two players, and games of three or more; "
                f"{game.name} is neither. `starspiel tournament` compares mean returns."
            )
        today = datetime.now(UTC).date().isoformat()
        added = [
            Entry(name=each.name, spec=str(each.source), identity=each.identity(game), added=today)
            for each in field_for(agents, game, self._settings().clock)
        ]
        with self._changing():
            for entry in added:
                if entry.name in self._names:
                    raise StarspielError(
                        f"{shown(entry.name)} is already on the ladder; give the new agent another name: "
                        "name=spec."
                    )
            names = [*self._names, *(entry.name for entry in added)]
            if (anchor := self.rules.anchor) is not None and anchor not in names:
                raise StarspielError(
                    f"the anchor {shown(anchor)} is not one of the agents.{did_you_mean(anchor, names)}"
                )
            self._write((*self.agents, *added))
        return added

    def retire(self, name: str) -> None:
        """Retires an agent: it plays no more, but its games stay. Raises StarspielError for unknown names."""
        with self._changing():
            if name not in self._names:
                raise StarspielError(f"{shown(name)} is not on the ladder.{did_you_mean(name, self._names)}")
            place = self._names.index(name)
            retired = msgspec.structs.replace(self.agents[place], retired=True)
            self._write((*self.agents[:place], retired, *self.agents[place + 1 :]))

    def play(
        self,
        pairs: int,
        *,
        workers: int = 1,
        engine: Literal["local", "ray"] = "local",
        address: str | None = None,
        on_pair: Callable[[Progress], None] | None = None,
    ) -> TournamentResult:
        """Plays `pairs` more of the most informative pairs, and returns the result. Ctrl-C ends it early.

        The choice of pairs depends on earlier games and on `pairs`, not on the workers. Raises StarspielError
        if an agent's code or files have changed since it was added.
        """
        if pairs < 1:
            raise StarspielError(f"expected at least 1 pair, got {pairs}.")
        active = [entry for entry in self.agents if not entry.retired]
        if len(active) < 2:
            raise StarspielError(f"a ladder needs two agents that play, got {len(active)}; add more.")
        if self.rules.keyed and self._key is None:
            raise StarspielError(
                f"the ladder {self.folder} was created with a key, and needs it to play: give it as --key -, "
                "which reads it from standard input."
            )
        self.check_consent(active)
        agents = {entry.name: entry.spec for entry in active}
        where = {"workers": workers, "engine": engine, "address": address, "store": str(self.store)}
        settings = self._settings(agents=agents, pairs=1, **where)
        made = plan(settings, kind="ladder")
        for entry, *played in zip(active, made.names, made.job.identities, strict=True):
            entry.check_same(*played)
        began, interrupted = perf_counter(), False
        # Otherwise each round would connect again.
        on_ray = connected(imported_ray(), workers, address) if engine == "ray" else nullcontext()
        with on_ray, opened(made) as store:
            store.add_run(made.to_dict())
            try:
                with closing(self._rounds(made, store, pairs)) as rounds:
                    for done, (record, tally) in enumerate(rounds, start=1):
                        if on_pair is not None:
                            seconds = perf_counter() - began
                            unit = units(made.job.game.num_players)
                            on_pair(Progress(done, pairs, 0, seconds, tally, record, self._names, units=unit))
            except KeyboardInterrupt:
                interrupted = True
        return self.result(perf_counter() - began, interrupted=interrupted)

    def to_be_asked(self) -> list[str]:
        """Returns the names in its game and agents' specs whose code `play` runs only with consent."""
        return foreign_names([self.rules.game, *(entry.spec for entry in self.agents if not entry.retired)])

    def check_consent(self, agents: Sequence[Entry] = ()) -> None:
        """Raises StarspielError unless there is consent to run the code of its game and of these agents."""
        specs = {self.rules.game, *(entry.spec for entry in agents)} - self._agreed
        check_consent(f"the ladder {self.folder}", specs, trust=self._trust)
        self._agreed |= specs

    def versions(self) -> list[str]:
        """Returns the versions that played its games, each as "starspiel 0.1.0, open_spiel 2.0.0, …"."""
        if not self.store.exists():
            return []
        with Store(self.store, read_only=True) as store:
            runs = store.runs()
        said = (", ".join(f"{name} {run.get(name)}" for name in versions()) for run in runs)
        return list(dict.fromkeys(said))

    def _settings(self, **more: Any) -> Settings:
        """Returns its rules, updated by `more`, as checked settings of a tournament."""
        settings = msgspec.structs.asdict(self.rules) | {"anchor": None} | more
        if settings.pop("keyed") and self._key is not None:
            settings |= {"seed": None, "key": self._key}
        return checked(**settings)

    def _rounds(
        self, made: Plan, store: Store, pairs: int
    ) -> Generator[tuple[PairRecord, Tally], None, None]:
        """Plays `pairs` more pairs; yields the record of each when it is finished, and the tally so far."""
        place = [self._names.index(name) for name in made.names]
        seats = made.job.game.num_players
        tally, numbers = self._counted(store, made.job.game)
        size = max(_AT_ONCE, pairs // 10)
        for start in range(0, pairs, size):
            schedule = []
            for lineup in self._next(tally, seats, min(size, pairs - start), place):
                number = numbers[lineup] = numbers.get(lineup, -1) + 1
                agents = seated(lineup, number) if seats > 2 else lineup
                schedule.append(Pair(tuple([place.index(agent) for agent in agents]), number))
            begin = begun(made, lambda pairs: store.begin(made.job, pairs))
            with closing(made.executor.play(made.referee, schedule, begin)) as played:
                for record in played:
                    store.save(made.job, record)
                    tally.count(*renumbered(record, place))
                    yield record, tally

    def _next(self, tally: Tally, seats: int, number: int, playing: Sequence[int]) -> Sequence[Lineup]:
        """Returns the lineups of the next pairs, or blocks."""
        if seats == 2:
            return most_telling(tally.results, number, playing)
        return most_telling_lineups(tally.blocks, len(self.agents), seats, number, playing)

    def _counted(self, store: Store, game: Game) -> tuple[Tally, dict[tuple[int, ...], int]]:
        """Returns the tally of stored pairs, and the last pair number of each lineup."""
        found = held(store, self.rules.game, self._names, game.num_players)
        tally = Tally(len(self.agents), shares_known=shares_known(game))
        tally.count_all(found.faultless)
        for counted in found.faulty:
            tally.count(*counted)
        numbers: dict[tuple[int, ...], int] = {}
        for pair in found.pairs:
            lineup = tuple(sorted(pair.agents))
            numbers[lineup] = max(numbers.get(lineup, -1), pair.number)
        return tally, numbers

    def result(self, seconds: float = 0.0, *, interrupted: bool = False) -> TournamentResult:
        """Returns the current result; `seconds` is the time played, for display.

        Raises StarspielError if there are no agents, or if games are stored, so that the game must be loaded,
        but there is no consent to run its code.
        """
        if not self.agents:
            raise StarspielError(f"the ladder {self.folder} has no agents yet; add some.")
        tally, common_starts = Tally(len(self.agents)), False
        if self.store.exists():
            if not self._is_told:
                self.check_consent()
            game = load_game(self.rules.game)
            common_starts = not game.explicit_chance
            with Store(self.store, read_only=True) as store:
                tally, _ = self._counted(store, game)
        clock = self.rules.clock
        timed = tuple([each.name for each in self.agents if Entrant(each.name, each.spec).has_clock])
        return TournamentResult(
            game=self.rules.game,
            seed=self.rules.seed,
            key="" if self.rules.keyed else None,
            agents=self._names,
            planned_pairs=tally.pairs,
            tally=tally,
            seconds=seconds,
            interrupted=interrupted,
            anchor=self._names.index(self.rules.anchor or self.agents[0].name),
            specs=tuple(entry.identity for entry in self.agents),
            own_dice=tuple(entry.name for entry in self.agents if foreign_names([entry.spec])),
            clock=None if clock is None else GRACE * clock,
            timed=timed,
            clockless=() if clock is None else tuple(name for name in self._names if name not in timed),
            common_starts=common_starts,
        )

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A context in which the ladder is locked and has been reloaded."""
        with locked(self.folder, self._path):
            if self._path.exists():
                now = read(self._path)
                now.rules.check_same(self.rules, self.folder)
                self._file = now
            yield

    def _write(self, agents: tuple[Entry, ...]) -> None:
        self._file = msgspec.structs.replace(self._file, agents=agents)
        write(self._path, self._file)
