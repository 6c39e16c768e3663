"""Merges stores of one tournament, and copies a store without damaged parts."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.files import beside
from starspiel.envs.text import printable
from starspiel.evaluation.environment import versions
from starspiel.evaluation.outputs import unwritable
from starspiel.evaluation.store.salvage import salvaged
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.tables import ATTEMPTS, TABLES, has_table
from starspiel.evaluation.store.verify import check_sample

#: The settings that make a tournament what it is. Others (pairs, workers, luck, …) may differ.
_SETTINGS = ("game", "seed", "agents", "format", "starts", "clock", "sprt", "limits", "common_dice")
#: The columns of a game's result; costs of moves may differ.
_RESULT = ("return0", "return1", "length", "actions_key", "fault_seat", "fault_kind")


@dataclass
class Merged:
    """The result of a merge.

    Attributes:
        pairs: pairs in the store that it made; `units` says what they are, as `Store.units`.
        new: pairs that each of the stores brought, in their order, and none before it had.
        skipped: what was left out as damaged, in words.
        compared: games of all stores, drawn at random, that were played again by their rules and dice.
    """

    pairs: int = 0
    units: str = "pairs"
    new: list[int] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    compared: int = 0


def merge(stores: Sequence[Path], output: Path | None = None, *, salvage: bool = False) -> Merged:
    """Puts all pairs of the stores into `output`, which must not be there yet, or into the first of them.

    With `salvage`, which needs an `output`, what is damaged is left out. Raises StarspielError, and writes
    nothing, if the stores are not of one tournament, hold the same pair with other results or are damaged, or
    if one of the games that are compared is not what was played.
    """
    _check_paths(stores, output, salvage)
    merged = Merged()
    with ExitStack() as stack:
        sources = [stack.enter_context(_opened(path, salvage, merged)) for path in stores]
        tournaments = [_tournaments(source) for source in sources]
        for path, its in zip(stores[1:], tournaments[1:], strict=True):
            _check_same_tournament(stores[0], tournaments[0], path, its)
        copied = list(zip(stores, sources, strict=True))
        if output is None:
            sources[0].close()  # before it is opened for writing
            into = stack.enter_context(Store(stores[0]))
            merged.new.append(into.count())
            copied = copied[1:]
        else:
            into = stack.enter_context(_made_aside(output))
        with into.transaction() as db:
            for path, source in copied:
                _copy(source, db, path)
                merged.new.append(into.count() - sum(merged.new))
        merged.pairs, merged.units = into.count(), into.units()
    return merged


def _check_paths(stores: Sequence[Path], output: Path | None, salvage: bool) -> None:
    for place, path in enumerate(stores):
        if not path.exists():
            raise StarspielError(f"there is no store {path}.")
        if any(path.samefile(other) for other in stores[:place]):
            raise StarspielError(f"{path} is the same store as one before it; name two.")
    if output is None:
        if len(stores) < 2:
            raise StarspielError("expected two stores, or one and --output for its copy.")
        if salvage:
            raise StarspielError(
                "--salvage needs --output: nothing is written into a store that may be damaged."
            )
    elif output.exists() or output.is_symlink():
        raise StarspielError(f"{output} is there already; name a file that is not.")
    elif not output.parent.is_dir():
        raise StarspielError(f"there is no folder {output.parent} for the store {output}.")


@contextmanager
def _opened(path: Path, salvage: bool, merged: Merged) -> Iterator[Store]:
    """A store to copy from: of what is sound in it, if so wished, or compared with what was played."""
    with ExitStack() as stack:
        if salvage:
            store, skipped = stack.enter_context(salvaged(path))
            merged.skipped += skipped
        else:
            store = stack.enter_context(Store(path, read_only=True))
            store.check()
            merged.compared += check_sample(store)
        yield store


@contextmanager
def _made_aside(output: Path) -> Iterator[Store]:
    """A new store that gets its name when all is written, and leaves nothing if that fails."""
    try:
        with beside(output, replace=False) as aside, Store(aside) as store:
            yield store
    except FileExistsError:
        raise StarspielError(
            f"{output} is there by now, made by somebody else; nothing was written to it."
        ) from None
    except OSError as error:
        raise unwritable("the store", output, error) from None


def _tournaments(store: Store) -> list[dict[str, Any]]:
    """What makes the games of its runs what they are: settings and versions."""
    found = []
    for run in store.runs():
        with suppress(AttributeError):  # a configuration that is none
            said = run["config"]
            found.append(
                {name: said.get(name) for name in _SETTINGS} | {name: run.get(name) for name in versions()}
            )
    return found


def _check_same_tournament(
    first: Path, ours: list[dict[str, Any]], other: Path, theirs: list[dict[str, Any]]
) -> None:
    """Raises StarspielError unless all tournaments of one of the stores are also in the other."""
    if all(each in theirs for each in ours) or all(each in ours for each in theirs):
        return
    mine, its = ours[-1], next(each for each in reversed(theirs) if each not in ours)
    differing = next((name for name in mine if mine[name] != its[name]), "game")
    raise StarspielError(
        f"{first} and {other} are not of the same tournament: {differing} "
        f"is {printable(shown(mine[differing]))} in the one, {printable(shown(its[differing]))} in the "
        "other. Only stores with the same game, seed, agents, settings and versions can be merged."
    )


def _copy(source: Store, db: sqlite3.Connection, path: Path) -> None:
    """Copies what is not there yet. Raises StarspielError if a pair is there with other results."""
    result_of = f"SELECT {', '.join(_RESULT)} FROM games WHERE id = ?"
    games = "SELECT games.id, pair, number, seat0, seat1 FROM games JOIN pairs ON pairs.id = pair"
    for game, pair, number, seat_0, seat_1 in source.connection.execute(games):
        result = source.connection.execute(result_of, (game,)).fetchone()
        found = db.execute(result_of, (game,)).fetchone()
        if found is not None and found != result:
            agents = " against ".join(printable(name) for name in (seat_0, seat_1) if name is not None)
            raise StarspielError(
                f"{path} has pair {pair} (number {number}, {agents}) with other results than the stores "
                "before it. The same pair comes out alike wherever it is played, unless agents are limited "
                "by seconds or draw on something of their own: such stores cannot be merged. Nothing was "
                "written."
            )
    for table, declared in TABLES.items():
        if table == "attempts":
            if not has_table(source.connection, table):
                continue
            db.execute(ATTEMPTS)
        known = "DO UPDATE SET stored = max(stored, excluded.stored)" if table == "attempts" else "DO NOTHING"
        db.executemany(
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(declared))}) ON CONFLICT {known}",
            source.connection.execute(f"SELECT {', '.join(declared)} FROM {table}"),
        )
