"""Stored games as lines of JSON or CSV."""

import csv
import json
from collections.abc import Iterable
from math import isnan
from typing import Any, TextIO

from starspiel.evaluation.store import StoredGame

FORMATS = ("jsonl", "csv")


def write_jsonl(games: Iterable[StoredGame], out: TextIO) -> None:
    """One JSON object a line: everything that is known of a game, its moves included."""
    for game in games:
        json.dump(game_dict(game), out, ensure_ascii=False, allow_nan=False)
        out.write("\n")


def write_csv(games: Iterable[StoredGame], out: TextIO) -> None:
    """One row a game: who, how it ended, and what each seat's moves cost in sum."""
    writer = csv.writer(out, lineterminator="\n")
    seat = ("agent", "return", "score", "moves", "cpu_seconds", "nodes")
    columns = [f"{name}_{number}" for number in (0, 1) for name in seat]
    writer.writerow(["id", "game", "seed", "pair", "start", *columns, "length", "fault_seat", "fault_kind"])
    for game in games:
        record, cells = game.record, []
        for number, name in enumerate(game.names):
            cost = record.moves[number].cost
            nodes = cost.nodes if cost.told else ""
            cells += [
                name,
                record.returns[number],
                record.score(number),
                cost.moves,
                round(cost.seconds, 6),
                nodes,
            ]
        cells += [""] * (len(columns) - len(cells))
        fault = ("", "") if record.fault is None else (record.fault.seat, record.fault.kind)
        start = " ".join(map(str, game.start))
        writer.writerow(
            [game.id, game.game, game.seed, game.number, start, *cells, len(record.actions), *fault]
        )


def game_dict(game: StoredGame) -> dict[str, Any]:
    """A stored game, ready for JSON."""
    record = game.record
    return {
        "id": game.id,
        "game": game.game,
        "seed": game.seed,
        "pair": game.number,
        "start": list(game.start),
        "agents": list(game.names),
        "actions": list(record.actions),
        "returns": list(record.returns),
        "scores": [record.score(seat) for seat in range(len(game.names))],
        "moves": [
            {
                "cpu_seconds": [round(seconds, 7) for seconds in moves.seconds],
                "nodes": list(moves.nodes),
                "values": [None if isnan(value) else round(value, 6) for value in moves.values],
            }
            for moves in record.moves
        ],
        "fault": None
        if record.fault is None
        else {"seat": record.fault.seat, "kind": record.fault.kind, "message": record.fault.message},
    }
