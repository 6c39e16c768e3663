"""What lies in a store: rows of its tables, packed moves, and what they say."""

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Cost, Fault, GameRecord, Moves, Outcome, score
from starspiel.evaluation.store.columns import Columns

#: Games read together.
_CHUNK = 10_000

#: The columns that `outcome_of` and `columns_of` read.
GAME_COLUMNS = (
    "pair, games.id, seat0, seat1, return0, return1, length, "
    "moves0, seconds0, told0, nodes0, overruns0, wall_overruns0, "
    "moves1, seconds1, told1, nodes1, overruns1, wall_overruns1, "
    "fault_seat, fault_kind, fault_message, fault_limit"
)
#: The columns that `game_of` and `json_of` read.
RECORD_COLUMNS = (
    "games.id, pairs.game, pairs.seed, pairs.number, pairs.start, seat0, seat1, return0, return1, "
    "fault_seat, fault_kind, fault_message, records.moves"
)
#: Where they are found.
RECORDS = "games JOIN pairs ON pairs.id = games.pair JOIN records ON records.game = games.id"


@dataclass(frozen=True)
class StoredGame:
    """A game as it lies in a store; `agents` of the record are 0 and 1, their names in `names`."""

    id: str
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    record: GameRecord


class StoredOutcome(NamedTuple):
    """The same without its moves; `luck` is player 0's by each evaluator asked for, or None."""

    id: str
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    outcome: Outcome
    luck: tuple[float | None, ...]


class Finished(NamedTuple):
    """The stored pairs of a schedule: those without a fault, and those that a fault made void at first.

    Attributes:
        columns: the outcomes of the first.
        faulty: (pair, outcomes, agents at fault in the void attempt) of each of the others.
    """

    columns: Columns
    faulty: list[tuple[Pair, list[Outcome], list[int]]]

    @property
    def pairs(self) -> set[Pair]:
        """All of them."""
        return {*self.columns.pairs, *(pair for pair, _, _ in self.faulty)}

    def each(self) -> Iterator[tuple[Pair, list[Outcome], list[int]]]:
        """Pair by pair: (pair, outcomes in the order of its seatings, agents at fault in a void attempt)."""
        for pair, outcomes in self.columns.each():
            yield pair, outcomes, []
        yield from self.faulty


class _Seat(msgspec.Struct):
    """What one seat's moves cost and said, as in `Moves`; rounded, and null for NaN."""

    cpu_seconds: list[float]
    nodes: list[int]
    values: list[float | None]
    overruns: int
    wall_overruns: int


class _Played(msgspec.Struct):
    """The part of a record that only replays and exports need: a column of JSON, for any program to read."""

    actions: list[int]
    moves: list[_Seat]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Played)


def played(game: GameRecord) -> str:
    """The moves of a game as the store keeps them: seconds to 1e-7, values to 1e-6."""
    seats = [
        _Seat(
            np.array(moves.seconds, dtype=float).round(7).tolist(),
            moves.nodes.tolist(),
            np.array(moves.values, dtype=float).round(6).tolist(),  # of which NaN is encoded as null
            moves.overruns,
            moves.wall_overruns,
        )
        for moves in game.moves
    ]
    return _encoder.encode(_Played(list(game.actions), seats)).decode()


def actions_of(moves: str) -> list[int]:
    """The actions and chance outcomes in what `played` returned."""
    return _decoder.decode(moves).actions


@lru_cache
def start_of(text: str) -> tuple[int, ...]:
    """The actions of a start position, which the store keeps as JSON."""
    return tuple(json.loads(text))


def game_of(row: tuple[Any, ...]) -> StoredGame:
    """The game of a row of `RECORD_COLUMNS`. Raises msgspec.ValidationError where its moves are damaged."""
    identity, game, seed, number, start, seat0, seat1, return0, return1, seat, kind, message, moves = row
    names = (seat0,) if seat1 is None else (seat0, seat1)
    found = _decoder.decode(moves)
    if len(found.moves) != len(names):
        raise msgspec.ValidationError(f"game {identity} has moves of {len(found.moves)} seats")
    record = GameRecord(
        agents=tuple(range(len(names))),
        actions=tuple(found.actions),
        returns=(return0,) if seat1 is None else (return0, return1),
        moves=tuple(map(_moves_of, found.moves)),
        fault=None if seat is None else Fault(seat, kind, message),
    )
    return StoredGame(identity, game, seed, number, start_of(start), names, record)


def _moves_of(seat: _Seat) -> Moves:
    values = array("f", [nan if value is None else value for value in seat.values])
    try:
        nodes = array("q", seat.nodes)
    except OverflowError as error:
        raise msgspec.ValidationError(f"{error}, in nodes") from None
    return Moves(array("f", seat.cpu_seconds), nodes, values, seat.overruns, seat.wall_overruns)


def json_of(row: tuple[Any, ...], luck: Mapping[str, float]) -> str:
    """The same as one JSON object: who played what, how it ended, its luck, the moves as they are stored.

    The moves are not taken apart: that is what makes a long export quick.
    """
    identity, game, seed, number, start, seat0, seat1, return0, return1, seat, kind, message, moves = row
    if not isinstance(moves, str) or not (moves.startswith("{") and moves.endswith("}")):
        raise msgspec.ValidationError(f"the moves of game {identity} are no JSON object")
    names, returns = ((seat0,), (return0,)) if seat1 is None else ((seat0, seat1), (return0, return1))
    fault = None if seat is None else Fault(seat, kind, message)
    told = ",".join(map(str, returns))
    scores = ",".join([str(score(returns, fault, own)) for own in range(len(returns))])
    return (
        f'{{"id":"{identity}","game":{_json(game)},"seed":{seed},"pair":{number},"start":{start},'
        f'"agents":{_json(names)},"returns":[{told}],"scores":[{scores}],'
        f'"fault":{_json(fault)},"luck":{_json(luck) if luck else "{}"},{moves[1:]}'
    )


def _json(value: Any) -> str:
    return _encoder.encode(value).decode()


def columns_of(
    rows: sqlite3.Cursor,
    wanted: Mapping[str, Pair],
    index: dict[str, int],
    luck: dict[str, float],
    seats: int,
) -> Columns:
    """The games of the wanted pairs that are whole, from rows of `GAME_COLUMNS` without a fault."""
    pairs: list[str] = []
    chunks = [_numbers([], index, luck, seats)]
    while chunk := rows.fetchmany(_CHUNK):  # not all at once: rows take ten times the memory of the numbers
        chunk = [row for row in chunk if row[0] in wanted]
        pairs += [row[0] for row in chunk]
        chunks.append(_numbers(chunk, index, luck, seats))
    games = Counter(pairs)
    whole = np.array([games[pair] == seats for pair in pairs], dtype=bool)
    columns = [np.concatenate(parts)[whole] for parts in zip(*chunks, strict=True)]
    return Columns([wanted[pair] for pair, number in games.items() if number == seats], *columns)


def _numbers(
    rows: list[tuple[Any, ...]], index: dict[str, int], luck: dict[str, float], seats: int
) -> tuple[NDArray[Any], ...]:
    """The numbers of `Columns`, in its order."""
    columns = list(zip(*rows, strict=True)) or [()] * 22
    width = len(Cost._fields)
    costs = np.array(columns[7 : 7 + width * seats], dtype=float)
    return (
        np.array([[index[name] for name in names] for names in columns[2 : 2 + seats]], dtype=int).T,
        np.array(columns[4 : 4 + seats], dtype=float).T,
        np.array([luck.get(identity, nan) for identity in columns[1]], dtype=float),
        np.array(columns[6], dtype=int),
        costs.reshape(seats, width, -1).transpose(2, 0, 1),
    )


def outcome_of(row: Sequence[Any], index: dict[str, int], luck: float) -> Outcome:
    """The outcome of a row of `GAME_COLUMNS`; `index` numbers the agents."""
    two = row[3] is not None
    return Outcome(
        agents=(index[row[2]], index[row[3]]) if two else (index[row[2]],),
        returns=(row[4], row[5]) if two else (row[4],),
        fault=None if row[19] is None else Fault(*row[19:22]),
        luck=luck,
        length=row[6],
        costs=(Cost(*row[7:13]), Cost(*row[13:19])) if two else (Cost(*row[7:13]),),
    )
