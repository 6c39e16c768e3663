"""A ladder: a tournament that goes on. Agents are added over months, and what tells most is played next.

It is a folder: `ladder.json` says which game, from which seed and between whom, and `games.db` is the store
of all its games, as any tournament has one. Ratings are worked out from all of them, by whatever versions
they were played.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.load import load_game
from starspiel.envs.trust import check_consent, foreign_names
from starspiel.evaluation.attempts import say_what_is_begun_again
from starspiel.evaluation.environment import versions
from starspiel.evaluation.field import as_played, check_made, entrants
from starspiel.evaluation.ladder_file import (
    Entry,
    LadderFile,
    LadderSettings,
    changing,
    other_rules,
    read,
    with_full_name,
    with_key,
    write,
)
from starspiel.evaluation.plan import Plan, plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Outcome, PairRecord
from starspiel.evaluation.processes.concealed import conceal
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.settings import Settings, checked, checked_key
from starspiel.evaluation.statistics.selection import most_telling
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.finished import Finished, held
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import check_sample
from starspiel.evaluation.tournament import Progress

__all__ = ["Entry", "Ladder", "LadderSettings"]

#: Pairs are chosen so many at a time: a tenth of those to play, and no fewer than this.
_AT_ONCE = 10


class Ladder:
    """The ladder in a folder. `rules` make a new one; of one that is there, they have to be its own.

    `trust` is consent to run what its file names: the modules of its game and agents, and programs. A ladder
    that is begun with a `key` is played with it alone: 32 hexadecimal digits that nobody else knows.

    Raises StarspielError where the folder holds no ladder and there are no rules, or holds another.
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
        if self._key is not None:
            conceal()
            rules = None if rules is None else with_key(rules, self._key)
        self.folder = Path(folder)
        self.store = self.folder / "games.db"
        self._path = self.folder / "ladder.json"
        self._trust = trust
        self._is_told = rules is not None
        if self._path.exists():
            self._file = read(self._path)
            if self._key is not None and with_key(self.rules, self._key) != self.rules:
                raise StarspielError(f"this is not the key that the ladder {self.folder} was begun with.")
            if rules is not None:
                self._check_rules(rules)
        elif rules is None:
            raise StarspielError(
                f"there is no ladder in {self.folder}; `starspiel ladder {self.folder} add SPEC…` begins one."
            )
        else:
            self._file = LadderFile(rules=with_full_name(rules))

    def _check_rules(self, given: LadderSettings) -> None:
        """Raises StarspielError where these are not its own; imports no game that nobody has agreed to."""
        if given.game != self.rules.game:
            given = with_full_name(given)
        if given != self.rules:
            raise StarspielError(other_rules(self.folder, self.rules, given))

    @staticmethod
    def is_in(folder: str | Path) -> bool:
        """Whether there is a ladder in this folder."""
        return (Path(folder) / "ladder.json").exists()

    @property
    def rules(self) -> LadderSettings:
        """What its games have in common."""
        return self._file.rules

    @property
    def agents(self) -> tuple[Entry, ...]:
        """Everyone who is or was on it, in the order they were added."""
        return self._file.agents

    @property
    def anchor(self) -> str:
        """The agent whose Elo is 0: the one that the rules name, else the first."""
        return self.rules.anchor or self.agents[0].name

    def add(self, agents: Sequence[str]) -> list[Entry]:
        """Adds agents by their specs, or name=spec; each is made once in every seat as a check.

        Who gives a spec here agrees to run it; whoever plays the ladder later is asked: see `to_be_asked`.

        Raises StarspielError where one cannot be made, or its name is taken; nobody is then added.
        """
        if not self._is_told:
            self.check_consent()
        game = self._game()
        settings = self._settings()
        check_made(as_played(entrants(agents), game), game, settings.clock)
        today = datetime.now(UTC).date().isoformat()
        added = [
            Entry(name=each.name, spec=str(each.source), identity=each.identity(game), added=today)
            for each in as_played(entrants(agents, settings.clock), game)
        ]
        with self._changing():
            self._check_names(added)
            self._write((*self.agents, *added))
        return added

    def _check_names(self, added: Sequence[Entry]) -> None:
        """Raises StarspielError where one of the names is taken, or the anchor would be nobody's."""
        for entry in added:
            if entry.name in self._names:
                raise StarspielError(
                    f"{shown(entry.name)} is on the ladder already; give a new agent a name of its own: "
                    "name=spec."
                )
        names = [*self._names, *(entry.name for entry in added)]
        if self.rules.anchor is not None and self.rules.anchor not in names:
            raise StarspielError(
                f"the anchor {shown(self.rules.anchor)} is not one of the agents."
                f"{did_you_mean(self.rules.anchor, names)}"
            )

    def retire(self, name: str) -> None:
        """Has an agent play no more; its games stay. Raises StarspielError where nobody has this name."""
        with self._changing():
            if name not in self._names:
                raise StarspielError(f"{shown(name)} is not on the ladder.{did_you_mean(name, self._names)}")
            retired = [
                msgspec.structs.replace(entry, retired=True) if entry.name == name else entry
                for entry in self.agents
            ]
            self._write(tuple(retired))

    def play(
        self, pairs: int, *, workers: int = 1, on_pair: Callable[[Progress], None] | None = None
    ) -> TournamentResult:
        """Plays so many more pairs, those that tell most, and returns how the ladder stands.

        Which pairs these are follows from what was played before, and from `pairs`: not from the workers.
        Ctrl-C ends it early. Raises StarspielError where an agent is not what it was when it was added.
        """
        if pairs < 1:
            raise StarspielError(f"expected at least 1 pair, got {pairs}.")
        active = [entry for entry in self.agents if not entry.retired]
        if len(active) < 2:
            raise StarspielError(f"a ladder needs two agents that play, got {len(active)}; add more.")
        if self.rules.keyed and self._key is None:
            raise StarspielError(
                f"the ladder {self.folder} was begun with a key, and is played with it: give it as --key -, "
                "which reads it from standard input."
            )
        self.check_consent(active)
        made = plan(
            self._settings(
                agents={entry.name: entry.spec for entry in active},
                pairs=1,
                workers=workers,
                store=str(self.store),
            ),
            kind="ladder",
        )
        self._check_same(made, active)
        began, interrupted = perf_counter(), False
        with Store(self.store, limits=made.executor.limits) as store:
            store.check()
            job = made.job
            check_sample(store, game=job.game, context=job.context, key=job.key)
            store.add_run(made.to_dict())
            rounds = self._rounds(made, store, pairs)
            try:
                for done, (record, tally) in enumerate(rounds, start=1):
                    if on_pair is not None:
                        on_pair(
                            Progress(
                                done=done,
                                total=pairs,
                                stored=0,
                                seconds=perf_counter() - began,
                                tally=tally,
                                last=record,
                                names=self._names,
                            )
                        )
            except KeyboardInterrupt:
                interrupted = True
            finally:
                rounds.close()
        return self._result(perf_counter() - began, interrupted=interrupted)

    def to_be_asked(self) -> list[str]:
        """The names in its game and its agents' specs that `play` runs with consent alone."""
        return foreign_names([self.rules.game, *(entry.spec for entry in self.agents if not entry.retired)])

    def check_consent(self, agents: Sequence[Entry] = ()) -> None:
        """Raises StarspielError where its game, or one of these agents, is code that nobody has agreed to."""
        specs = [self.rules.game, *(entry.spec for entry in agents)]
        check_consent(f"the ladder {self.folder}", specs, trust=self._trust)

    def result(self) -> TournamentResult:
        """How the ladder stands."""
        return self._result(0.0)

    def versions(self) -> list[str]:
        """The versions that its games were played by, as "starspiel 0.1.0, open_spiel 2.0.0, …"."""
        if not self.store.exists():
            return []
        with Store(self.store, read_only=True) as store:
            runs = store.runs()
        said = (", ".join(f"{name} {run.get(name)}" for name in versions()) for run in runs)
        return list(dict.fromkeys(said))

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.agents)

    def _game(self) -> Game:
        game: Game = load_game(self.rules.game)
        if game.num_players != 2:
            raise StarspielError(
                f"a ladder is for games of two players, and {game.name} has {game.num_players}; "
                "`starspiel tournament` compares agents that play alone."
            )
        return game

    def _settings(self, **more: Any) -> Settings:
        """The rules as settings of a tournament, checked."""
        settings = msgspec.structs.asdict(self.rules) | {"anchor": None} | more
        if settings.pop("keyed") and self._key is not None:
            settings |= {"seed": None, "key": self._key}
        return checked(**settings)

    def _check_same(self, made: Plan, active: Sequence[Entry]) -> None:
        for entry, name, identity in zip(active, made.names, made.job.identities, strict=True):
            if (name, identity) != (entry.name, entry.identity):
                raise StarspielError(
                    f"{entry.name} is not what was added on {entry.added}: it was {entry.identity}, and is "
                    f"{identity}. Its games would not be those of one agent: add it under a new name, "
                    f'new="{entry.spec}", and retire this one.'
                )

    def _rounds(
        self, made: Plan, store: Store, pairs: int
    ) -> Generator[tuple[PairRecord, Tally], None, None]:
        """The records of so many more pairs, as they are finished, and what all add up to with each."""
        place = [self._names.index(name) for name in made.names]
        field = {ladder: number for number, ladder in enumerate(place)}
        tally, numbers = self._counted(held(store, self.rules.game, self._names))
        size = max(_AT_ONCE, pairs // 10)
        for start in range(0, pairs, size):
            schedule = []
            for i, j in most_telling(tally.results, min(size, pairs - start), place):
                numbers[i, j] = numbers.get((i, j), -1) + 1
                schedule.append(Pair((field[i], field[j]), numbers[i, j]))
            with closing(made.executor.play(made.referee, schedule, partial(_begun, made, store))) as played:
                for record in played:
                    store.save(made.job, record)
                    _count(tally, record, place)
                    yield record, tally

    def _counted(self, found: Finished) -> tuple[Tally, dict[tuple[int, ...], int]]:
        """What stored pairs add up to, and the number of the last of each meeting."""
        tally = Tally(len(self.agents))
        tally.count_all(found.faultless)
        for counted in found.faulty:
            tally.count(*counted)
        numbers: dict[tuple[int, ...], int] = {}
        for pair in found.pairs:
            numbers[pair.agents] = max(numbers.get(pair.agents, -1), pair.number)
        return tally, numbers

    def _result(self, seconds: float, *, interrupted: bool = False) -> TournamentResult:
        tally = Tally(len(self.agents))
        if self.store.exists():
            with Store(self.store, read_only=True) as store:
                tally, _ = self._counted(held(store, self.rules.game, self._names))
        return TournamentResult(
            game=self.rules.game,
            seed=self.rules.seed,
            key="" if self.rules.keyed else None,
            agents=self._names,
            planned_pairs=tally.pairs,
            tally=tally,
            seconds=seconds,
            interrupted=interrupted,
            anchor=self._names.index(self.anchor),
            specs=tuple(entry.identity for entry in self.agents),
            own_dice=tuple(entry.name for entry in self.agents if foreign_names([entry.spec])),
        )

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Within it nobody else changes the ladder, and it is as it is by now."""
        with changing(self.folder, self._path, self.rules) as now:
            self._file = now or self._file
            yield

    def _write(self, agents: tuple[Entry, ...]) -> None:
        self._file = msgspec.structs.replace(self._file, agents=agents)
        write(self._path, self._file)


def _begun(made: Plan, store: Store, pairs: Sequence[Pair]) -> list[Pair]:
    begun = store.begin(made.job, pairs)
    say_what_is_begun_again(begun, made.names)
    return begun


def _count(tally: Tally, record: PairRecord, place: Sequence[int]) -> None:
    """Counts a pair whose agents are those of another field, with these places on the ladder."""

    def moved(outcome: Outcome) -> Outcome:
        return outcome._replace(agents=tuple([place[agent] for agent in outcome.agents]))

    tally.count(
        Pair(tuple([place[agent] for agent in record.pair.agents]), record.pair.number),
        [moved(game.outcome) for game in record.games],
        [void._replace(agent=place[void.agent]) for void in record.voids],
    )
