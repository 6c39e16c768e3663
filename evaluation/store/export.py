"""Exports stored games and runs as JSON Lines or CSV, with untrusted text escaped."""

import csv
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import msgspec

from starspiel.envs.text import STEERING, printable
from starspiel.evaluation.play.record import NOT_EXPORTED, Cost, Facts, Luck
from starspiel.evaluation.store.rows import StoredRow

#: Characters that begin a formula in spreadsheets, including their full-width forms.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
#: Counter of a seat -> its column name, which differs only for the seconds.
_COUNTERS = {
    name: "cpu_seconds" if name == "seconds" else name for name in Cost._fields if name not in NOT_EXPORTED
}
_FACTS = [name for name in Facts._fields if name not in NOT_EXPORTED]


def write_jsonl(games: Iterable[str], out: TextIO) -> None:
    """Writes games as JSON Lines: one object per line, with everything about the game and its moves."""
    for game in games:
        # Control and bidirectional characters can only occur within strings; elsewhere it would not be JSON.
        if not game.isascii() or "\x7f" in game:
            game = STEERING.sub(lambda found: "\\u" + f"{ord(found[0]):04x}", game)
        out.write(f"{game}\n")


def write_csv(rows: Iterable[StoredRow], evaluators: Sequence[str], out: TextIO, seats: int = 2) -> None:
    """Writes one row per game: agents, results, total costs of each seat's moves, faults and luck.

    Luck has a column for each of these evaluators: player 0's luck, or with more than two players a column
    for each seat. `seats` is the maximum number of seats of the games.
    """
    writer = csv.writer(out, lineterminator="\n")
    seat = ("agent", "return", "score", *_COUNTERS.values())
    columns = [f"{name}_{number}" for number in range(seats) for name in seat]
    fault = ("fault_seat", "fault_kind", "fault_message")
    luck = [
        f"luck_{number}{evaluator}"
        for evaluator in evaluators
        for number in (("",) if seats <= 2 else tuple(f"{seat}_" for seat in range(seats)))
    ]
    writer.writerow(map(_cell, ["id", "game", "seed", "pair", "start", *columns, *_FACTS, *fault, *luck]))
    for row in rows:
        outcome = row.outcome
        seated: list[Any] = []
        for number, name in enumerate(row.names):
            seated += [name, outcome.returns[number], outcome.score(number)]
            seated += [_counted(outcome.costs[number], counter) for counter in _COUNTERS]
        seated += [""] * (len(columns) - len(seated))
        own = outcome.fault
        cells = [
            *(row.id, row.game, row.seed, row.number, " ".join(map(str, row.start))),
            *seated,
            *(getattr(outcome.facts, name) for name in _FACTS),
            *(("", "", "") if own is None else (own.seat, own.kind, own.message)),
            *(cell for evaluator in evaluators for cell in _lucks(row.luck.get(evaluator), seats)),
        ]
        writer.writerow(map(_cell, cells))


def _lucks(luck: Luck | None, seats: int) -> list[float | None]:
    """Returns the cells of an evaluator: one, or with more than two players one per seat."""
    if seats <= 2:
        assert not isinstance(luck, tuple)
        return [luck]
    each = luck if isinstance(luck, tuple) else () if luck is None else (luck, 0.0 - luck)
    return [*each, *(None for _ in range(seats - len(each)))]


def _cell(value: Any) -> Any:
    """Makes a cell safe for spreadsheets and terminals; numbers stay unchanged.

    Text that begins like a formula gets a leading apostrophe, by which spreadsheets mark text.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _counted(cost: Cost, counter: str) -> Any:
    """Returns the cell of a counter; "" if it was not counted."""
    if counter == "nodes" and not cost.counted:
        return ""
    value = getattr(cost, counter)
    return round(value, 6) if isinstance(value, float) else value


def write_runs(runs: Iterable[dict[str, Any]], out: TextIO) -> None:
    """Writes runs as JSON Lines: one object per line, with its settings and environment."""
    write_jsonl((msgspec.json.encode(run).decode() for run in runs), out)
