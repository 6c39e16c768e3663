"""What is said of each agent, declared once: the terminal, the page and JSON read it here."""

from collections.abc import Callable
from typing import Any, NamedTuple

from starspiel.evaluation.report.words import bounds, dashed, elo, number, points
from starspiel.evaluation.result import Standing


class Column(NamedTuple):
    """A column of a table with one line an agent.

    Attributes:
        heading: its heading.
        text: a line's cell.
        two_player: whether it is for two-player or for one-player games; None is for both.
    """

    heading: str
    text: Callable[[Standing], str]
    two_player: bool | None = None


#: The standings, on the terminal and on the page; a narrow terminal leaves out the last.
STANDINGS = (
    Column("Elo", lambda line: elo(line.elo), True),
    Column("95 %", lambda line: bounds(line.low, line.high, shown=elo), True),
    Column("points", lambda line: f"{line.score:g}", True),
    Column("mean return", lambda line: points(line.mean), False),
    Column("95 %", lambda line: bounds(line.mean_low, line.mean_high), False),
    Column("games", lambda line: str(line.totals.games)),
    Column("score", lambda line: dashed(line.mean, ".1%").replace("%", " %"), True),
    Column(
        "W-D-L",
        lambda line: (
            f"{line.totals.wins}-{line.totals.draws}-{line.totals.losses}" if line.totals.games else "–"
        ),
        True,
    ),
    Column("nodes/move", lambda line: dashed(line.totals.cost.nodes_per_move, ",.0f")),
    Column("ms/move", lambda line: dashed(1000 * line.totals.cost.seconds_per_move, ",.3g")),
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


def shown(two_player: bool) -> tuple[Column, ...]:
    """The standings' columns for such a game."""
    return tuple(column for column in STANDINGS if column.two_player in (None, two_player))


def fields_of(line: Standing, two_player: bool) -> dict[str, Any]:
    """One agent's line by `FIELDS`; wins, draws and losses mean nothing in one-player games."""
    found = {key: of(line) for key, of in FIELDS.items()}
    return found if two_player else found | dict.fromkeys(("wins", "draws", "losses"))
