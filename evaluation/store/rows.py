"""What lies in a store: rows of its tables, packed moves, and what they say."""

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, nan
from typing import Any, NamedTuple, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.outcomes import Outcomes
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import (
    KEPT_FACTS,
    Cost,
    Facts,
    Fault,
    GameRecord,
    Moves,
    Outcome,
    Void,
    impossible,
    score,
)
from starspiel.evaluation.store.schema import COSTS, GAMES, KINDS

#: Games read together.
_CHUNK = 10_000

#: The columns that `outcome_of` and `outcomes_of` read.
GAME_COLUMNS = ", ".join(f"games.{name}" for name in GAMES if name != "context")
#: The columns that `game_of` and `json_of` read.
RECORD_COLUMNS = ", ".join(
    [
        *("games.id", "pairs.game", "pairs.seed", "pairs.number", "pairs.start"),
        *("seat0", "seat1", "return0", "return1", "fault_seat", "fault_kind", "fault_message"),
        *KEPT_FACTS,
        "records.moves AS moves",
    ]
)
#: All that is known of a game, for comparing it with itself; no context if it is not that of its pair.
FULL_COLUMNS = (
    f"{RECORD_COLUMNS}, {GAME_COLUMNS}, pairs.voided AS voided, "
    "CASE WHEN games.context = pairs.context THEN pairs.context END AS context"
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
        faultless: the outcomes of the first.
        faulty: (pair, outcomes, faults of the void attempt) of each of the others.
    """

    faultless: Outcomes
    faulty: list[tuple[Pair, list[Outcome], list[Void]]]

    @property
    def pairs(self) -> set[Pair]:
        """All of them."""
        return {*self.faultless.pairs, *(pair for pair, _, _ in self.faulty)}

    def impossible(self, bounds: tuple[float, float] | None) -> str | None:
        """The first game whose return is outside these bounds of its game, in words, or None."""
        for pair, outcomes, _ in self._beyond(bounds):
            for outcome in outcomes:
                if outcome.fault is None and (said := impossible(outcome.returns[:1], bounds)):
                    return f"a game of pair number {pair.number} with {said}"
        return None

    def _beyond(self, bounds: tuple[float, float] | None) -> Iterator[tuple[Pair, list[Outcome], list[Void]]]:
        """The pairs that may have such a game: none of the faultless, if their extremes are within."""
        yield from self.faulty
        returns = self.faultless.returns[:, :1]
        if returns.size and any(
            impossible([float(extreme(returns))], bounds) for extreme in (np.min, np.max)
        ):
            yield from self.each()

    def each(self) -> Iterator[tuple[Pair, list[Outcome], list[Void]]]:
        """Pair by pair: (pair, outcomes in the order of its seatings, faults of a void attempt)."""
        for pair, outcomes in self.faultless.each():
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
    return msgspec.json.decode(text, type=tuple[int, ...])


def voided_of(text: str) -> list[tuple[str, str, str]]:
    """(agent, kind, message) of each fault that made a pair's first attempt void, kept as JSON."""
    return msgspec.json.decode(text, type=list[tuple[str, str, str]])


def run_of(identity: str, config: str, about: str) -> dict[str, Any]:
    """A run: its id, its configuration and where it was played. Both are kept as JSON."""
    try:
        run = {"id": identity, "config": json.loads(config), **json.loads(about)}
    except (RecursionError, TypeError, ValueError) as error:
        raise msgspec.ValidationError(f"run {identity} is no JSON ({error})") from None
    return run


def named(db: sqlite3.Connection, query: str, *parameters: str) -> sqlite3.Cursor:
    """What a query finds, in rows that know their columns by name."""
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, parameters)


def row_of(game: GameRecord, names: Sequence[str], fault_limit: float | None) -> dict[str, Any]:
    """What the table `games` holds of a game, but for its ids; `names` are the agents by seat."""
    row: dict[str, Any] = game.facts._asdict()
    for seat, (name, own, moves) in enumerate(zip(names, game.returns, game.moves, strict=True)):
        row |= {f"seat{seat}": name, f"return{seat}": own, **dict(zip(COSTS[seat], moves.cost, strict=True))}
    if game.fault is not None:
        row |= {
            "fault_seat": game.fault.seat,
            "fault_kind": game.fault.kind,
            "fault_message": game.fault.message,
            "fault_limit": fault_limit,
        }
    return row


def _seats_of(row: sqlite3.Row) -> tuple[int, ...]:
    """The seats of a game. Raises msgspec.ValidationError where a column holds what it was not made for.

    SQLite keeps whatever it is given: text in a column of numbers, or no number where one is needed.
    """
    seats = (0,) if row["seat1"] is None else (0, 1)
    needed = {name for seat in seats for name in (f"return{seat}", *COSTS[seat])}
    if row["fault_seat"] is not None:
        needed |= {"fault_kind", "fault_message"}
        if row["fault_seat"] not in seats:
            raise msgspec.ValidationError(f"game {row['id']!r} has a fault of seat {row['fault_seat']!r}")
    for name, value in zip(row.keys(), row, strict=True):
        if value is None:
            sound = name not in needed
        else:
            sound = type(value) is KINDS[name] and (type(value) is not float or isfinite(value))
        if not sound:
            raise msgspec.ValidationError(f"game {row['id']!r} has {value!r} as {name}")
    return seats


def _fault_of(row: sqlite3.Row) -> Fault | None:
    seat = row["fault_seat"]
    return None if seat is None else Fault(seat, row["fault_kind"], row["fault_message"])


def game_of(row: sqlite3.Row) -> StoredGame:
    """The game of a row of `RECORD_COLUMNS`. Raises msgspec.ValidationError where its moves are damaged."""
    seats, found = _seats_of(row), _decoder.decode(row["moves"])
    if len(found.moves) != len(seats):
        raise msgspec.ValidationError(f"game {row['id']} has moves of {len(found.moves)} seats")
    record = GameRecord(
        agents=seats,
        actions=tuple(found.actions),
        returns=tuple([row[f"return{seat}"] for seat in seats]),
        moves=tuple(map(_moves_of, found.moves)),
        fault=_fault_of(row),
        **{name: row[name] for name in KEPT_FACTS},
    )
    return StoredGame(
        id=row["id"],
        game=row["game"],
        seed=row["seed"],
        number=row["number"],
        start=start_of(row["start"]),
        names=tuple([row[f"seat{seat}"] for seat in seats]),
        record=record,
    )


def _moves_of(seat: _Seat) -> Moves:
    values = array("f", [nan if value is None else value for value in seat.values])
    try:
        nodes = array("q", seat.nodes)
    except OverflowError as error:
        raise msgspec.ValidationError(f"{error}, in nodes") from None
    return Moves(array("f", seat.cpu_seconds), nodes, values, seat.overruns, seat.wall_overruns)


def json_of(row: sqlite3.Row, luck: Mapping[str, float]) -> str:
    """The same as one JSON object: who played what, how it ended, its luck, the moves as they are stored.

    The moves are not taken apart: that is what makes a long export quick.
    """
    moves, seats, fault = row["moves"], _seats_of(row), _fault_of(row)
    if not (moves.startswith("{") and moves.endswith("}")):
        raise msgspec.ValidationError(f"the moves of game {row['id']} are no JSON object")
    returns = tuple([row[f"return{seat}"] for seat in seats])
    ended = ",".join(map(str, returns))
    scores = ",".join([str(score(returns, fault, own)) for own in seats])
    facts = "".join([f'"{name}":{_json(row[name])},' for name in KEPT_FACTS])
    return (
        f'{{"id":"{row["id"]}","game":{_json(row["game"])},"seed":{row["seed"]},"pair":{row["number"]},'
        f'"start":{row["start"]},"agents":{_json([row[f"seat{seat}"] for seat in seats])},'
        f'"returns":[{ended}],"scores":[{scores}],{facts}'
        f'"fault":{_json(fault)},"luck":{_json(luck) if luck else "{}"},{moves[1:]}'
    )


def _json(value: Any) -> str:
    return _encoder.encode(value).decode()


def outcomes_of(
    rows: sqlite3.Cursor,
    wanted: Mapping[str, Pair],
    index: dict[str, int],
    luck: dict[str, float],
    seats: int,
) -> Outcomes:
    """The games of the wanted pairs that are whole, from rows of `GAME_COLUMNS` without a fault."""
    pairs: list[str] = []
    chunks = [_numbers([], index, luck, seats)]
    while found := rows.fetchmany(_CHUNK):  # not all at once: rows take ten times the memory of the numbers
        chunk = [row for row in found if row["pair"] in wanted]
        pairs += [row["pair"] for row in chunk]
        chunks.append(_numbers(chunk, index, luck, seats))
    games = Counter(pairs)
    whole = np.array([games[pair] == seats for pair in pairs], dtype=bool)
    numbers = {name: np.concatenate([part[name] for part in chunks])[whole] for name in chunks[0]}
    return Outcomes(
        pairs=[wanted[pair] for pair, number in games.items() if number == seats],
        facts={name: numbers.pop(name) for name in Facts._fields},
        **numbers,
    )


def _numbers(
    rows: list[sqlite3.Row], index: dict[str, int], luck: dict[str, float], seats: int
) -> dict[str, NDArray[Any]]:
    """What `Outcomes` holds, by its names and those of the facts.

    Raises msgspec.ValidationError where a column holds no numbers.
    """
    found = (
        dict(zip(rows[0].keys(), zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(GAMES, ())
    )

    def of(kind: type, *names: str) -> NDArray[Any]:
        try:
            numbers: NDArray[Any] = np.array([found[name] for name in names], dtype=kind)
        except (OverflowError, TypeError, ValueError) as error:
            raise msgspec.ValidationError(f"{' or '.join(names)}: {error}") from None
        if not np.isfinite(numbers).all():
            raise msgspec.ValidationError(f"{' or '.join(names)} holds no finite number")
        return numbers.T

    return {
        "agents": np.array(
            [[index[name] for name in found[f"seat{seat}"]] for seat in range(seats)], dtype=int
        ).T,
        "returns": of(float, *(f"return{seat}" for seat in range(seats))),
        "luck": np.array([luck.get(identity, nan) for identity in found["id"]], dtype=float),
        **{name: of(kind, name).ravel() for name, kind in get_type_hints(Facts).items()},
        "costs": np.stack([of(float, *COSTS[seat]) for seat in range(seats)], axis=1),
    }


def outcome_of(row: sqlite3.Row, index: dict[str, int], luck: float) -> Outcome:
    """The outcome of a row of `GAME_COLUMNS`; `index` numbers the agents."""
    seats = _seats_of(row)
    return Outcome(
        agents=tuple([index[row[f"seat{seat}"]] for seat in seats]),
        returns=tuple([row[f"return{seat}"] for seat in seats]),
        fault=_fault_of(row),
        luck=luck,
        facts=Facts(*[row[name] for name in Facts._fields]),
        costs=tuple([Cost(*[row[name] for name in COSTS[seat]]) for seat in seats]),
    )
