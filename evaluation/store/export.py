"""Stored games and runs as lines of JSON or CSV, which no name or message in them can bend."""

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import msgspec

from starspiel.envs.text import STEERING, printable
from starspiel.evaluation.play.record import NOT_EXPORTED, Cost, Facts, score
from starspiel.evaluation.store.rows import StoredOutcome

#: How spreadsheets know a formula, by characters of full width too.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
#: What the columns of a seat's counters are called: their own names, but for the seconds.
_COUNTERS = {
    name: "cpu_seconds" if name == "seconds" else name for name in Cost._fields if name not in NOT_EXPORTED
}
_FACTS = [name for name in Facts._fields if name not in NOT_EXPORTED]


def write_jsonl(games: Iterable[str], out: TextIO) -> None:
    """One JSON object a line: everything that is known of a game, its moves included."""
    for game in games:
        out.write(f"{_escaped(game)}\n")


def _escaped(line: str) -> str:
    """JSON that says the same, with what steers a terminal or the order of reading as \\u and digits.

    They stand only within its strings: others would be no JSON.
    """
    return line if line.isascii() and "\x7f" not in line else STEERING.sub(_json_escape, line)


def _json_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def write_csv(games: Iterable[StoredOutcome], evaluators: Sequence[str], out: TextIO) -> None:
    """One row a game: who, how it ended, what each seat's moves cost in sum, and player 0's luck.

    `evaluators` are those of the games' `luck`.
    """
    writer = csv.writer(out, lineterminator="\n")
    seat = ("agent", "return", "score", *_COUNTERS.values())
    columns = [f"{name}_{number}" for number in (0, 1) for name in seat]
    fault = ("fault_seat", "fault_kind", "fault_message")
    luck = [f"luck_{evaluator}" for evaluator in evaluators]
    writer.writerow(map(_cell, ["id", "game", "seed", "pair", "start", *columns, *_FACTS, *fault, *luck]))
    writer.writerows(map(_cell, _cells(game, len(columns))) for game in games)


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet runs and no terminal obeys; numbers are left alone.

    Texts that begin like a formula get an apostrophe in front, which spreadsheets take for "this is text".
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _cells(game: StoredOutcome, width: int) -> list[Any]:
    outcome = game.outcome
    seats: list[Any] = []
    for number, name in enumerate(game.names):
        seats += [name, outcome.returns[number], score(outcome.returns, outcome.fault, number)]
        seats += [_counted(outcome.costs[number], counter) for counter in _COUNTERS]
    seats += [""] * (width - len(seats))
    own = outcome.fault
    fault = ("", "", "") if own is None else (own.seat, own.kind, own.message)
    start = " ".join(map(str, game.start))
    about = (game.id, game.game, game.seed, game.number, start)
    facts = [getattr(outcome.facts, name) for name in _FACTS]
    return [*about, *seats, *facts, *fault, *game.luck]


def _counted(cost: Cost, counter: str) -> Any:
    """A counter's cell: empty where nobody counted."""
    if counter == "nodes" and not cost.counted:
        return ""
    value = getattr(cost, counter)
    return round(value, 6) if isinstance(value, float) else value


def write_runs(runs: Iterable[dict[str, Any]], out: TextIO) -> None:
    """One JSON object a run: its settings, and where it was played."""
    write_jsonl((msgspec.json.encode(run).decode() for run in runs), out)
