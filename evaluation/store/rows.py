"""The rows of a store: one a game, with its moves as JSON."""

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

#: The columns of `StoredRow.of`; the context is only there if it is that of the pair.
QUERY = (
    f"SELECT {', '.join(f'games.{name}' for name in columns('games') if name != 'context')}, "
    "pairs.game, seed, number, start, voided, moves, "
    "CASE WHEN games.context = pairs.context THEN pairs.context END AS context "
    "FROM games JOIN pairs ON pairs.id = games.pair JOIN records ON records.game = games.id "
)


@dataclass(frozen=True)
class StoredGame:
    """A game as it lies in a store; `agents` of the record are the numbers of their seats, their names in
    `names`."""

    id: str
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    record: GameRecord


class StoredRow(msgspec.Struct, frozen=True):
    """All that is known of a game: its row, with those of its pair and its moves.

    Attributes:
        outcome: as tables count it; its agents are the numbers of their seats, their names in `names`.
        voided: (agent, kind, message) of each fault that made the pair's first attempt void.
        moves: its actions and what they cost, as JSON.
        luck: by evaluator.
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
        """The game of a row of `QUERY`.

        Raises msgspec.MsgspecError if a column holds what it was not made for: SQLite keeps whatever it gets.
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
        """The game with its moves. Raises msgspec.MsgspecError if these are damaged."""
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
        """One JSON object: who played what, how it ended, its luck, and the moves as they are stored.

        The moves are not taken apart, which makes a long export quick.
        """
        if not (self.moves.startswith("{") and self.moves.endswith("}")):
            raise msgspec.ValidationError(f"the moves of game {self.id} are no JSON object")
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
    """What one seat's moves cost and said, as in `Moves`; rounded, and null for NaN."""

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
    """What the table of games would hold of a seat that it has no columns for."""

    agent: str
    returned: float = msgspec.field(name="return")
    cost: Cost


class _Others(msgspec.Struct):
    """The seats from the third on."""

    others: list[OtherSeat]


class _Played(msgspec.Struct):
    """The part of a record that only replays and exports need: a column of JSON, for any program to read.

    With more than two players, or if the returns of two do not sum to zero, `others` stands before it.
    """

    actions: list[int]
    moves: list[_Seat]


#: How the column begins if `others` stands before it.
_OTHERS = '{"others":'


def has_others(moves: Any) -> bool:
    """Whether returns need not be those of one player, or two with zero sum; by its text, or its bytes."""
    if isinstance(moves, str):
        return moves.startswith(_OTHERS)
    return isinstance(moves, bytes | bytearray) and moves.startswith(_OTHERS.encode())


def other_seats(moves: Any) -> list[OtherSeat]:
    """The seats from the third on in what `packed` returned; nothing is taken apart if there are none."""
    return msgspec.json.decode(moves, type=_Others).others if has_others(moves) else []


def packed(game: GameRecord, names: Sequence[str]) -> str:
    """What the store keeps of a game beside its row, with seconds to 1e-7, and values to 1e-6.

    `names` are the agents by seat.
    """
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
    found = _json(_Played(list(game.actions), seats))
    others = [
        OtherSeat(name, own, moves.cost)
        for name, own, moves in zip(names, game.returns, game.moves, strict=True)
    ][len(COLUMN_SEATS) :]
    return f"{_json(_Others(others))[:-1]},{found[1:]}" if others or is_general(game.returns) else found


def stored_luck(luck: Luck) -> float | str:
    """Luck as a store has it: player 0's as a number, that of every player as JSON."""
    return _json(luck) if isinstance(luck, tuple) else float(luck)


def luck_from(value: Any) -> Luck:
    """The luck that `stored_luck` made this of. Raises msgspec.MsgspecError for anything else."""
    if isinstance(value, str):
        return msgspec.json.decode(value, type=tuple[float, ...])
    return msgspec.convert(value, float)


def actions_of(moves: str) -> list[int]:
    """The actions and chance outcomes in what `packed` returned."""
    return msgspec.json.decode(moves, type=_Played).actions


def row_of(game: GameRecord, names: Sequence[str], fault_limit: float | None) -> dict[str, Any]:
    """What the table `games` holds of a game, but for its ids; `names` are the agents by seat.

    `packed` has the seats that it has no columns for.
    """
    row: dict[str, Any] = game.facts._asdict()
    for seat, name, own, moves in zip(COLUMN_SEATS, names, game.returns, game.moves, strict=False):
        row |= {f"seat{seat}": name, f"return{seat}": own, **dict(zip(COSTS[seat], moves.cost, strict=True))}
    if (fault := game.fault) is not None:
        row |= {f"fault_{name}": getattr(fault, name) for name in ("seat", "kind", "message")}
        row["fault_limit"] = fault_limit
    return row
