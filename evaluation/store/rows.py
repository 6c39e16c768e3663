"""Converts games to and from the rows of a store: one row per game, with its moves as JSON."""

import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import msgspec
import numpy as np

from starspiel.evaluation.play.record import (
    KEPT_FACTS,
    Cost,
    Facts,
    GameRecord,
    Luck,
    Moves,
    Outcome,
    is_general,
)
from starspiel.evaluation.store.tables import COLUMN_SEATS, COSTS, columns

#: Selects the columns for `StoredRow.of`; the context is NULL if game and pair disagree on it.
QUERY = (
    f"SELECT {', '.join(f'games.{name}' for name in columns('games') if name != 'context')}, "
    "pairs.game, seed, number, start, voided, moves, "
    "CASE WHEN games.context = pairs.context THEN pairs.context END AS context "
    "FROM games JOIN pairs ON pairs.id = games.pair JOIN records ON records.game = games.id "
)


@dataclass(frozen=True)
class StoredGame:
    """A game from a store. The record's `agents` are seat numbers; `names` has the agents' names by seat."""

    id: str
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    record: GameRecord


class StoredRow(msgspec.Struct, frozen=True):
    """Everything that is stored about a game: its row, and those of its pair, moves and luck.

    Attributes:
        context: hash of what all pairs of its tournament share; None if game and pair disagree on it.
        names: the agents' names by seat.
        outcome: the game as tables count it; its `agents` are the seat numbers.
        voided: (agent, kind, message) of each fault that made the pair's first attempt void.
        fault_limit: the limit that was exceeded by the fault, if any.
        moves: its actions and their costs, as JSON.
        luck: evaluator -> luck of the game.
    """

    id: str
    pair: str
    context: str | None
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    outcome: Outcome
    voided: tuple[tuple[str, str, str], ...]
    fault_limit: float | None
    moves: str
    luck: dict[str, Luck]

    @classmethod
    def of(cls, row: sqlite3.Row, luck: Mapping[str, Luck] | None = None) -> "StoredRow":
        """Returns the game of a row of `QUERY`.

        Raises msgspec.MsgspecError if a column has a value of the wrong type, which SQLite does not prevent.
        """
        here = COLUMN_SEATS[: 1 if row["seat1"] is None else 2]
        others = other_seats(row["moves"])
        seats = range(len(here) + len(others))
        fault = None
        if row["fault_seat"] is not None:
            fault = {name: row[f"fault_{name}"] for name in ("seat", "kind", "message")}
            if row["fault_seat"] not in seats:
                raise msgspec.ValidationError(f"game {row['id']!r} has a fault of seat {row['fault_seat']!r}")
        held = {name: row[name] for name in ("id", "pair", "context", "game", "seed", "number")} | {
            "start": msgspec.json.decode(row["start"]),
            "names": [*(row[f"seat{seat}"] for seat in here), *(other.agent for other in others)],
            "outcome": (
                tuple(seats),
                [*(row[f"return{seat}"] for seat in here), *(other.returned for other in others)],
                fault,
                nan,
                [row[name] for name in Facts._fields],
                [*([row[name] for name in COSTS[seat]] for seat in here), *(other.cost for other in others)],
            ),
            "voided": msgspec.json.decode(row["voided"]),
            "fault_limit": row["fault_limit"],
            "moves": row["moves"],
            "luck": luck or {},
        }
        try:
            found = msgspec.convert(held, cls)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"game {row['id']!r}: {error}") from None
        numbers = (
            *found.outcome.returns,
            *found.outcome.facts,
            *(cost.seconds for cost in found.outcome.costs),
        )
        if not all(map(isfinite, numbers)):
            raise msgspec.ValidationError(f"game {row['id']!r} has returns or seconds that are not finite")
        return found

    @property
    def played(self) -> StoredGame:
        """The game with its moves decoded. Raises msgspec.MsgspecError if they are damaged."""
        found = msgspec.json.decode(self.moves, type=_Played)
        if len(found.moves) != len(self.names):
            raise msgspec.ValidationError(f"game {self.id} has moves of {len(found.moves)} seats")
        record = GameRecord(
            agents=self.outcome.agents,
            actions=tuple(found.actions),
            returns=self.outcome.returns,
            moves=tuple([seat.unpacked for seat in found.moves]),
            fault=self.outcome.fault,
            **{name: getattr(self.outcome.facts, name) for name in KEPT_FACTS},
        )
        return StoredGame(self.id, self.game, self.seed, self.number, self.start, self.names, record)

    @property
    def json(self) -> str:
        """The game as a JSON object: agents, results, luck, and the moves as they are stored.

        For speed, the moves are copied without decoding them, unless `others` has to be removed.
        """
        if not (self.moves.startswith("{") and self.moves.endswith("}")):
            raise msgspec.ValidationError(f"the moves of game {self.id} are not a JSON object")
        returns, fault, facts = self.outcome.returns, self.outcome.fault, self.outcome.facts
        scores = map(self.outcome.score, self.outcome.agents)
        moves = self.moves
        if has_others(moves):
            moves = _json(msgspec.json.decode(moves, type=_Played))
        kept = "".join([f'"{name}":{_json(getattr(facts, name))},' for name in KEPT_FACTS])
        return (
            f'{{"id":"{self.id}","game":{_json(self.game)},"seed":{self.seed},"pair":{self.number},'
            f'"start":[{", ".join(map(str, self.start))}],"agents":{_json(self.names)},'
            f'"returns":[{",".join(map(str, returns))}],"scores":[{",".join(map(str, scores))}],{kept}'
            f'"fault":{_json(fault)},"luck":{_json(self.luck)},{moves[1:]}'
        )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class _Seat(msgspec.Struct):
    """The costs and values of one seat's moves, as in `Moves`, but rounded and with null for NaN."""

    cpu_seconds: list[float]
    nodes: list[int]
    values: list[float | None]
    overruns: int
    wall_overruns: int

    @property
    def unpacked(self) -> Moves:
        values = array("f", [nan if value is None else value for value in self.values])
        try:
            nodes = array("q", self.nodes)
        except OverflowError as error:
            raise msgspec.ValidationError(f"{error}, in nodes") from None
        return Moves(array("f", self.cpu_seconds), nodes, values, self.overruns, self.wall_overruns)


class OtherSeat(msgspec.Struct):
    """The agent, return and cost of a seat for which the table of games has no columns."""

    agent: str
    returned: float = msgspec.field(name="return")
    cost: Cost


class _Others(msgspec.Struct):
    """The seats from the third on."""

    others: list[OtherSeat]


class _Played(msgspec.Struct):
    """The part of a record that only replays and exports need, stored as a column of JSON.

    With more than two players, or if the returns of two do not sum to zero, `others` comes before it.
    """

    actions: list[int]
    moves: list[_Seat]


#: The beginning of the column if `others` comes first.
_OTHERS = '{"others":'


def has_others(moves: Any) -> bool:
    """Returns whether the column, text or bytes, has `others`: for more than two seats, or no zero sum."""
    if isinstance(moves, str):
        return moves.startswith(_OTHERS)
    return isinstance(moves, bytes | bytearray) and moves.startswith(_OTHERS.encode())


def other_seats(moves: Any) -> list[OtherSeat]:
    """Returns the seats from the third on in a column made by `packed`; decodes it only if there are any."""
    return msgspec.json.decode(moves, type=_Others).others if has_others(moves) else []


def packed(game: GameRecord, names: Sequence[str]) -> str:
    """Returns what the store keeps of a game besides its row, as JSON: seconds to 1e-7, values to 1e-6.

    `names` are the agents' names by seat.
    """
    seats = [
        _Seat(
            np.array(moves.seconds, dtype=float).round(7).tolist(),
            moves.nodes.tolist(),
            np.array(moves.values, dtype=float).round(6).tolist(),  # NaN is encoded as null
            moves.overruns,
            moves.wall_overruns,
        )
        for moves in game.moves
    ]
    found = _json(_Played(list(game.actions), seats))
    others = [
        OtherSeat(name, own, moves.cost)
        for name, own, moves in zip(names, game.returns, game.moves, strict=True)
    ][len(COLUMN_SEATS) :]
    return f"{_json(_Others(others))[:-1]},{found[1:]}" if others or is_general(game.returns) else found


def stored_luck(luck: Luck) -> float | str:
    """Returns luck as stored: player 0's as a number, or every player's as JSON."""
    return _json(luck) if isinstance(luck, tuple) else float(luck)


def luck_from(value: Any) -> Luck:
    """Returns the luck for a value of `stored_luck`. Raises msgspec.MsgspecError for any other value."""
    if isinstance(value, str):
        return msgspec.json.decode(value, type=tuple[float, ...])
    return msgspec.convert(value, float)


def actions_of(moves: str) -> list[int]:
    """Returns the actions and chance outcomes in a column made by `packed`."""
    return msgspec.json.decode(moves, type=_Played).actions


def row_of(game: GameRecord, names: Sequence[str], fault_limit: float | None) -> dict[str, Any]:
    """Returns the row of a game in table `games`, without ids; `names` are the agents' names by seat.

    Seats for which the table has no columns are in `packed`.
    """
    row: dict[str, Any] = game.facts._asdict()
    for seat, name, own, moves in zip(COLUMN_SEATS, names, game.returns, game.moves, strict=False):
        row |= {f"seat{seat}": name, f"return{seat}": own, **dict(zip(COSTS[seat], moves.cost, strict=True))}
    if (fault := game.fault) is not None:
        row |= {f"fault_{name}": getattr(fault, name) for name in ("seat", "kind", "message")}
        row["fault_limit"] = fault_limit
    return row
