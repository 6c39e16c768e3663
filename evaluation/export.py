"""Stored games and runs as lines of JSON or CSV."""

import csv
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec

from starspiel.evaluation.stored import StoredOutcome

#: Games made ready together: many numbers are rounded quickest, as long as the processor's cache holds them.
_CHUNK = 20


def write_jsonl(games: Iterable[str], out: TextIO) -> None:
    """One JSON object a line: everything that is known of a game, its moves included."""
    for game in games:
        out.write(f"{game}\n")


def write_csv(games: Iterable[StoredOutcome], out: TextIO) -> None:
    """One row a game: who, how it ended, and what each seat's moves cost in sum."""
    writer = csv.writer(out, lineterminator="\n")
    seat = ("agent", "return", "score", "moves", "cpu_seconds", "nodes")
    columns = [f"{name}_{number}" for number in (0, 1) for name in seat]
    writer.writerow(["id", "game", "seed", "pair", "start", *columns, "length", "fault_seat", "fault_kind"])
    for game in games:
        outcome, cells = game.outcome, []
        for number, name in enumerate(game.names):
            cost = outcome.costs[number]
            cells += [
                name,
                outcome.returns[number],
                outcome.score(number),
                cost.moves,
                round(cost.seconds, 6),
                cost.nodes if cost.told else "",
            ]
        cells += [""] * (len(columns) - len(cells))
        fault = ("", "") if outcome.fault is None else (outcome.fault.seat, outcome.fault.kind)
        start = " ".join(map(str, game.start))
        writer.writerow([game.id, game.game, game.seed, game.number, start, *cells, outcome.length, *fault])


def write_runs(runs: Iterable[dict[str, Any]], out: TextIO) -> None:
    """One JSON object a run: its settings, and where it was played."""
    out.write(msgspec.json.Encoder().encode_lines(list(runs)).decode())
