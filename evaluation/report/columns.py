"""What is said of each agent, declared once: the terminal, the page and JSON read it here."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from math import isnan
from typing import Any

from starspiel.evaluation.report.words import bounds, count, elo, milliseconds, number, points
from starspiel.evaluation.result import Standing


class For(Flag):
    """The results that a column is shown for."""

    TWO = auto()
    ONE = auto()
    ALL = TWO | ONE


@dataclass(frozen=True)
class Column:
    """A column of a table with one line an agent.

    Attributes:
        heading: what the table calls it.
        text: a line's cell.
        games: with how many players.
    """

    heading: str
    text: Callable[[Standing], str]
    games: For = For.ALL


#: The standings, on the terminal and on the page; a narrow terminal leaves out the last.
STANDINGS = (
    Column("Elo", lambda line: elo(line.elo), For.TWO),
    Column("95 %", lambda line: bounds(line.low, line.high, shown=elo), For.TWO),
    Column("points", lambda line: f"{line.score:g}", For.TWO),
    Column("mean return", lambda line: points(line.mean), For.ONE),
    Column("95 %", lambda line: bounds(line.mean_low, line.mean_high), For.ONE),
    Column("games", lambda line: str(line.totals.games)),
    Column("score", lambda line: "–" if isnan(line.mean) else f"{100 * line.mean:.1f} %", For.TWO),
    Column(
        "W-D-L",
        lambda line: (
            f"{line.totals.wins}-{line.totals.draws}-{line.totals.losses}" if line.totals.games else "–"
        ),
        For.TWO,
    ),
    Column("nodes/move", lambda line: count(line.totals.cost.nodes_per_move)),
    Column("ms/move", lambda line: milliseconds(line.totals.cost.seconds_per_move)),
)

#: Time, nodes and faults: a table of the page, which adds the forfeited games.
COSTS = (
    Column("moves", lambda line: f"{line.totals.cost.moves:,}"),
    Column("CPU s", lambda line: f"{line.totals.cost.seconds:.3g}"),
    Column("nodes", lambda line: f"{line.totals.cost.nodes:,}" if line.totals.cost.counted else "–"),
    Column("over the clock, CPU", lambda line: str(line.totals.cost.overruns)),
    Column("wall", lambda line: str(line.totals.cost.wall_overruns)),
    Column("void pairs", lambda line: str(line.totals.voids)),
)

#: What JSON and pandas say, by key; None for no number.
FIELDS: dict[str, Callable[[Standing], Any]] = {
    "spec": lambda line: line.agent,
    "score": lambda line: line.score,
    "games": lambda line: line.totals.games,
    "wins": lambda line: line.totals.wins,
    "draws": lambda line: line.totals.draws,
    "losses": lambda line: line.totals.losses,
    "mean": lambda line: number(line.mean),
    "mean_low": lambda line: number(line.mean_low),
    "mean_high": lambda line: number(line.mean_high),
    "elo": lambda line: number(line.elo),
    "elo_low": lambda line: number(line.low),
    "elo_high": lambda line: number(line.high),
    "moves": lambda line: line.totals.cost.moves,
    "nodes_per_move": lambda line: number(line.totals.cost.nodes_per_move),
    "cpu_seconds_per_move": lambda line: number(line.totals.cost.seconds_per_move),
    "overruns": lambda line: line.totals.cost.overruns,
    "wall_overruns": lambda line: line.totals.cost.wall_overruns,
    "voids": lambda line: line.totals.voids,
    "forfeits": lambda line: dict(line.totals.forfeits),
    "won_by_forfeit": lambda line: line.totals.won_by_forfeit,
    "last_fault": lambda line: line.totals.last_fault or None,
}
#: Those that mean nothing in one-player games.
_TWO_PLAYER = ("wins", "draws", "losses")


def shown(columns: tuple[Column, ...], two_player: bool) -> tuple[Column, ...]:
    """The columns for such a game."""
    kind = For.TWO if two_player else For.ONE
    return tuple(column for column in columns if kind in column.games)


def fields_of(line: Standing, two_player: bool) -> dict[str, Any]:
    """One agent's line by `FIELDS`."""
    return {key: None if key in _TWO_PLAYER and not two_player else of(line) for key, of in FIELDS.items()}
