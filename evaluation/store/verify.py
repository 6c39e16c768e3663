"""Verifies that a store contains what was played, by replaying every game with the rules and its dice.

A checksum shows that a row is as it was written, but not who wrote it. Whatever can be recomputed is
compared: moves with the rules, returns with the last position, chance outcomes with the dice of the seed or
the key. Which agent made a move cannot be verified.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import Row
from time import monotonic
from typing import NamedTuple

import msgspec

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.trust import check_consent, foreign_names
from starspiel.evaluation.contents import identity_of_game
from starspiel.evaluation.job import context_of
from starspiel.evaluation.play.dice import Dice, content_key, number_of_key
from starspiel.evaluation.play.pairing import rotations
from starspiel.evaluation.store.comparison import UnrepeatableError, deviation
from starspiel.evaluation.store.file import DamagedStoreError
from starspiel.evaluation.store.rows import StoredRow
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.thrown import Thrown

#: The reasons why the dice of a game are not known.
_NO_KEY = "the key of their dice is not known"
_NO_RUN = "no stored run has played its pair"
#: The maximum number of games that a merge or a resumed tournament replays, and of seconds it takes for that.
SAMPLE_GAMES, SAMPLE_SECONDS = 20, 2.0


class Deviation(NamedTuple):
    """A game that differs from what was played; `what` describes how."""

    game: str
    pair: int
    agents: tuple[str, ...]
    what: str

    def __str__(self) -> str:
        return f"game {self.game} (pair {self.pair}, {' against '.join(self.agents)}): {self.what}"


@dataclass
class Verified:
    """The result of comparing a store with the rules.

    Attributes:
        replayed: games that were replayed by the rules.
        forfeited, with_dice: those of them that were forfeited, and whose dice were compared as well.
        not_replayed: reason -> number of games that were not replayed.
        without_dice: reason -> number of replayed games whose dice were not compared.
        other_rules: games of other versions or rules than those installed.
        unpaired: descriptions of pairs that lack a game or contain another pair's.
        damage: the damage that checksums and the file's structure show, or None.
    """

    games: int = 0
    pairs: int = 0
    units: str = "pairs"
    replayed: int = 0
    forfeited: int = 0
    with_dice: int = 0
    not_replayed: Counter[str] = field(default_factory=Counter)
    without_dice: Counter[str] = field(default_factory=Counter)
    other_rules: int = 0
    deviations: list[Deviation] = field(default_factory=list)
    unpaired: list[str] = field(default_factory=list)
    damage: str | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing deviates, and some game was compared (or there are none)."""
        sound = self.damage is None and not self.deviations and not self.unpaired
        return sound and (self.replayed > 0 or self.games == 0)

    def count(self, found: "_Compared", forfeited: bool) -> None:
        """Counts the comparison of a game."""
        self.other_rules += found.other_rules
        if found.not_replayed is not None:
            self.not_replayed[found.not_replayed] += 1
        else:
            self.replayed += 1
            self.forfeited += forfeited
            if found.without_dice is None:
                self.with_dice += 1
            else:
                self.without_dice[found.without_dice] += 1


def verify(
    path: Path,
    *,
    key: str | None = None,
    trust: bool = False,
    on_pair: Callable[[int, int], None] | None = None,
) -> Verified:
    """Compares every game of a store with the rules, its dice and its own counts; returns the findings.

    `key` is the tournament's key, if the store does not contain it. `on_pair` is called with the number of
    pairs begun and in total. Raises StarspielError if the file is not a store, if no game was played by the
    key, or if games name modules and there is no consent to run them: `trust`, or a yes at the terminal.
    """
    found = Verified()
    try:
        with Store(path, read_only=True) as store:
            try:
                store.check()
            except StarspielError as error:
                found.damage = str(error)
                return found
            if key is not None and number_of_key(key) not in store.values("SELECT DISTINCT seed FROM pairs"):
                raise StarspielError(
                    f"no game of {path} was played with this key; leave it out, or give the right one."
                )
            names = store.values("SELECT DISTINCT game FROM pairs ORDER BY game")
            check_consent(f"the store {path}", names, trust=trust)
            with store.explained():
                _compare_all(store, _Comparison(store, key=key), found, on_pair)
    except DamagedStoreError as error:
        found.damage = str(error)
    return found


def _compare_all(
    store: Store, comparison: "_Comparison", found: Verified, on_pair: Callable[[int, int], None] | None
) -> None:
    seatings: dict[str, set[tuple[str, ...]]] = {}
    pairs = store.count()
    for raw in store.raw_rows():
        found.games += 1
        try:
            row = StoredRow.of(raw)
            compared = comparison.of(row, raw)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            seats = tuple([str(raw[seat]) for seat in ("seat0", "seat1") if raw[seat] is not None])
            said = f"game {raw['id']} cannot be read: {error}"
            found.deviations.append(Deviation(str(raw["id"]), 0, seats, said))
            continue
        seatings.setdefault(row.pair, set()).add(row.names)
        if on_pair is not None:
            on_pair(len(seatings), pairs)
        found.count(compared, row.outcome.fault is not None)
        what = compared.deviation or (_NO_RUN if compared.without_dice == _NO_RUN else None)
        if what is not None:
            found.deviations.append(Deviation(row.id, row.number, row.names, what))
    found.pairs, found.units = len(seatings), store.units()
    for pair, held in seatings.items():
        if held != set(rotations(min(held))):
            seated = "; ".join(" against ".join(each) for each in sorted(held))
            found.unpaired.append(f"pair {pair} has not each of its agents in each seat: {seated}")


def check_sample(
    store: Store, *, game: Game | None = None, context: str | None = None, key: str | None = None
) -> int:
    """Compares some games drawn at random, only of a job's `context` if given; returns how many.

    It skips games of other versions or rules than those installed; games of modules other than `game`, whose
    code nobody has consented to run; and games with sampled chance outcomes, which may differ by machine.

    Raises StarspielError if a game differs from what was played.
    """
    comparison = _Comparison(store, game=game, key=key, sampling=True)
    until, compared = monotonic() + SAMPLE_SECONDS, 0
    query = "SELECT id FROM games WHERE context = ?1 OR ?1 IS NULL ORDER BY random() LIMIT ?2"
    for identity in store.values(query, context, SAMPLE_GAMES):
        if monotonic() > until:
            break
        said = None
        try:
            for raw in store.raw_rows("games.id = ?", identity):
                row = StoredRow.of(raw)
                found = comparison.of(row, raw)
                if found.other_rules or found.not_replayed is not None:
                    continue
                compared += 1
                if found.deviation is not None:
                    said = str(Deviation(row.id, row.number, row.names, found.deviation))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            said = f"game {identity} cannot be read: {error}"
        if said is not None:
            raise StarspielError(
                f"the store {store.path} differs from what was played: {said}. Nothing was written; "
                f"`starspiel verify {store.path}` compares all of its games. Use an earlier copy, or another "
                "file."
            )
    return compared


class _Compared(NamedTuple):
    """The result of comparing a game: why it deviates, was not replayed, or has no known dice."""

    deviation: str | None = None
    not_replayed: str | None = None
    without_dice: str | None = None
    other_rules: bool = False


class _Comparison:
    """Compares games of a store, with consent to import the modules that they name.

    With `sampling`, it loads no modules, and compares only games in which a deviation proves a forgery.
    """

    def __init__(
        self, store: Store, *, game: Game | None = None, key: str | None = None, sampling: bool = False
    ) -> None:
        self._thrown = Thrown((run["config"] for run in store.runs()), store.attempts(), key)
        self._rules: dict[str, Game | str] = {} if game is None else {game.name: game}
        self._sampling = sampling

    def of(self, row: StoredRow, raw: Row) -> _Compared:
        """Compares a game. Raises msgspec.MsgspecError if it cannot be read."""
        record = row.played.record
        ways = self._thrown.ways(row)
        without = None if ways else _NO_RUN
        if said := _misfiled(row, raw):
            return _Compared(said, without_dice=without)
        # A sample loads only games that a run names, and skips those whose results may depend on the machine.
        rules = _NO_RUN if self._sampling and without == _NO_RUN else self._rules_of(row.game)
        if not isinstance(rules, str) and self._sampling and not rules.explicit_chance:
            rules = f"the chances of {row.game} are drawn"
        if isinstance(rules, str):
            return _Compared(not_replayed=rules, without_dice=without)
        other_rules = context_of(identity_of_game(rules), row.seed) != row.context
        dice: list[Dice] | None = None
        if ways and (dice := self._thrown.dice(row, ways, rules)) is None:
            without = _NO_KEY
        each: Sequence[Dice | None] = dice or [None]
        try:
            said_by_each = [deviation(rules, record, row.start, row.outcome, own) for own in each]
        except UnrepeatableError:
            unrepeatable = f"{row.game}: its dice do not follow from its seed"
            return _Compared(not_replayed=unrepeatable, without_dice=without)
        except Exception as error:  # whatever rules raise
            return _Compared(not_replayed=f"{row.game} raises {type(error).__name__}: {error}")
        said = None if None in said_by_each else said_by_each[0]
        return _Compared(said, without_dice=without, other_rules=other_rules)

    def _rules_of(self, name: str) -> Game | str:
        """Returns the game, or the reason why it is not loaded."""
        if name not in self._rules:
            if self._sampling and foreign_names([name]):
                self._rules[name] = f"{name} is a module's"
            else:
                try:
                    self._rules[name] = load_game(name)
                except Exception as error:  # whatever a module raises
                    self._rules[name] = f"{name} cannot be loaded: {error}"
        return self._rules[name]


def _misfiled(row: StoredRow, raw: Row) -> str | None:
    """Describes an inconsistency of ids, context or fault of a stored game; None if there is none."""
    if row.id != content_key(row.pair, *row.names):
        return f"its id is not that of a game of {' and '.join(row.names)} in pair {row.pair}"
    if row.context is None:
        return "its context is not that of its pair"
    if raw["fault_seat"] is None and (raw["fault_kind"], raw["fault_message"]) != (None, None):
        return "it has a fault of no seat"
    return None
