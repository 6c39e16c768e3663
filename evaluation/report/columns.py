"""Declares the columns for each agent once; the terminal, the page and JSON use them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from starspiel.evaluation.report.points import paid
from starspiel.evaluation.report.words import bounds, dashed, elo, number, points
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.standing import Standing

#: The kind of games of three or more players, and of two whose returns need not sum to zero.
MANY = 3


class Column(NamedTuple):
    """A column of a table with one line per agent.

    Attributes:
        heading: the column's heading.
        text: a function that returns the cell of a line.
        players: the kinds of games that have the column: 1 player, 2 with zero sum, or MANY.
    """

    heading: str
    text: Callable[[Standing], str]
    players: tuple[int, ...] = (1, 2, MANY)


def _percent(value: float) -> str:
    return dashed(value, ".1%").replace("%", " %")


#: The standings, on the terminal and on the page; a narrow terminal leaves out the last columns.
STANDINGS = (
    Column("Elo", lambda line: elo(line.elo), (2,)),
    Column("95 %", lambda line: bounds(line.low, line.high, shown=elo), (2,)),
    Column("points", lambda line: f"{line.score:g}", (2,)),
    Column("mean return", lambda line: points(line.mean), (1, MANY)),
    Column("95 %", lambda line: bounds(line.mean_low, line.mean_high), (1, MANY)),
    Column("games", lambda line: str(line.totals.games)),
    Column("score", lambda line: _percent(line.mean), (2,)),
    Column("wins", lambda line: _percent(line.share), (MANY,)),
    Column("95 %", lambda line: bounds(line.share_low, line.share_high, shown=_percent), (MANY,)),
    Column(
        "W-D-L",
        lambda line: (
            f"{line.totals.wins}-{line.totals.draws}-{line.totals.losses}" if line.totals.games else "–"
        ),
        (2,),
    ),
    Column("nodes/move", lambda line: dashed(line.totals.cost.nodes_per_move, ",.0f")),
    Column("ms/move", lambda line: dashed(1000 * line.totals.cost.seconds_per_move, ",.3g")),
    Column("Elo", lambda line: elo(line.elo), (MANY,)),
    Column("95 %", lambda line: bounds(line.low, line.high, shown=elo), (MANY,)),
)

#: Time, nodes and faults, for a table of the page, which adds the forfeited games.
COSTS = (
    Column("moves", lambda line: f"{line.totals.cost.moves:,}"),
    Column("CPU s", lambda line: f"{line.totals.cost.seconds:.3g}"),
    Column("nodes", lambda line: f"{line.totals.cost.nodes:,}" if line.totals.cost.counted else "–"),
    Column("over the clock, CPU", lambda line: str(line.totals.cost.overruns)),
    Column("wall", lambda line: str(line.totals.cost.wall_overruns)),
    Column("void", lambda line: str(line.totals.voids)),
)

#: Key in JSON and pandas -> function that returns the value of a line; None for NaN and infinity.
FIELDS: dict[str, Callable[[Standing], Any]] = {
    "agent": lambda line: line.agent,
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


#: Additional keys in JSON and pandas with more than two players.
SHARES: dict[str, Callable[[Standing], Any]] = {
    "share": lambda line: number(line.share),
    "share_low": lambda line: number(line.share_low),
    "share_high": lambda line: number(line.share_high),
}


def shown(result: TournamentResult) -> tuple[Column, ...]:
    """Returns the standings' columns for the kind of game; a ladder of MANY, sorted by Elo, has it first."""
    columns = tuple(
        column._replace(heading=column.heading.replace("return", paid(result)))
        for column in STANDINGS
        if min(result.kind, MANY) in column.players
    )
    return (*columns[-2:], *columns[:-2]) if result.is_ladder and result.kind > 2 else columns


def fields_of(line: Standing, players: int) -> dict[str, Any]:
    """Returns the values of `FIELDS` for an agent, and of `SHARES` with more than two players.

    In one-player games, wins, draws and losses are None.
    """
    found = {key: of(line) for key, of in FIELDS.items()}
    if players > 2:
        return found | {key: of(line) for key, of in SHARES.items()}
    return found if players == 2 else found | dict.fromkeys(("wins", "draws", "losses"))
