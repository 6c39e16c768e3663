"""Stored games and runs as lines of JSON or CSV."""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TextIO

import msgspec
import numpy as np

from starspiel.evaluation.stored import StoredGame, StoredOutcome

#: Games made ready together: many numbers are rounded quickest, as long as the processor's cache holds them.
_CHUNK = 20


def write_jsonl(games: Iterable[StoredGame], out: TextIO) -> None:
    """One JSON object a line: everything that is known of a game, its moves included."""
    encoder = msgspec.json.Encoder()
    waiting = iter(games)
    while chunk := list(islice(waiting, _CHUNK)):
        out.write(encoder.encode_lines(_dicts(chunk)).decode())


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


def game_dict(game: StoredGame) -> dict[str, Any]:
    """A stored game, ready for JSON."""
    return _dicts([game])[0]


def _dicts(games: Sequence[StoredGame]) -> list[dict[str, Any]]:
    seats = [moves for game in games for moves in game.record.moves]
    seconds = _rounded([moves.seconds for moves in seats], 7)
    values = _rounded([moves.values for moves in seats], 6)
    return [_dict(game, seconds, values) for game in games]


def _rounded(arrays: Sequence["array[float]"], digits: int) -> Iterator[list[float | None]]:
    """Each array as a list of rounded numbers; None for NaN."""
    whole = np.frombuffer(b"".join(arrays), dtype=np.float32).astype(np.float64).round(digits)
    numbers = whole.tolist()
    for place in np.flatnonzero(np.isnan(whole)).tolist():
        numbers[place] = None
    begin = 0
    for each in arrays:
        yield numbers[begin : begin + len(each)]
        begin += len(each)


def _dict(
    game: StoredGame, seconds: Iterator[list[float | None]], values: Iterator[list[float | None]]
) -> dict[str, Any]:
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
            {"cpu_seconds": next(seconds), "nodes": moves.nodes.tolist(), "values": next(values)}
            for moves in record.moves
        ],
        "fault": None
        if record.fault is None
        else {"seat": record.fault.seat, "kind": record.fault.kind, "message": record.fault.message},
    }
