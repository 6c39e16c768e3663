"""Prints a result as text and tables, for the terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import StringIO
from math import isnan
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from starspiel.envs.text import printable
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.play.pairing import in_units, units
from starspiel.evaluation.report.columns import Column, shown
from starspiel.evaluation.report.faults import FLAG, flagged
from starspiel.evaluation.report.notes import blocks_note, differences_note, key_shown, notes_of, zero_note
from starspiel.evaluation.report.points import in_points, paid
from starspiel.evaluation.report.tables import DIFFERENCES, LUCK, difference_rows, luck_rows, lucks_rows
from starspiel.evaluation.report.verdict import verdict
from starspiel.evaluation.report.words import bounds, elo
from starspiel.evaluation.result import TournamentResult

#: The minimum width to which agents' names are folded if a table is too wide.
_NAME_WIDTH = 12
#: The styles of notes that stand out.
_STYLES = {"luck_alarm": "bold", "luck": "yellow", "repeated": "yellow"}


class _Room(NamedTuple):
    """The space for tables on the terminal."""

    console: Console
    options: ConsoleOptions

    def fits(self, table: Table) -> bool:
        """Returns whether a table fits without folding anything."""
        wide = self.options.update(max_width=1000)
        return self.console.measure(table, options=wide).maximum <= self.options.max_width

    def blocks(self, columns: int, make: Callable[[range], Table]) -> list[Table]:
        """Returns tables that together have all columns: as many in each as fit, the others below.

        `make` makes a table with the given columns; names may be folded.
        """
        tables, first = [], 0
        while first < columns:
            last, too_many = first + 1, columns + 1
            while too_many - last > 1:
                middle = (last + too_many) // 2
                table = make(range(first, middle))
                for column in table.columns:
                    column.max_width = column.max_width if column.no_wrap else _NAME_WIDTH
                last, too_many = (middle, too_many) if self.fits(table) else (last, middle)
            tables.append(make(range(first, last)))
            first = last
        return tables


def as_text(result: TournamentResult) -> str:
    """Returns the tables and notes as plain text, 120 characters wide."""
    out = StringIO()
    PlainConsole(file=out, width=120).print(result)
    return out.getvalue().rstrip()


def printed(result: TournamentResult, console: Console, options: ConsoleOptions) -> RenderResult:
    """Yields everything in a result as tables and notes, for Rich to print."""
    room, result = _Room(console, options), _printable(in_points(result))
    notes = {name: Text(note, style=_STYLES.get(name, "")) for name, note in notes_of(result).items() if note}
    yield _head(result)
    if said := verdict(result):
        yield Text(said)
    yield _standings(result, room)
    if "flag" in notes:
        yield notes.pop("flag")
    if result.two_player:
        yield Text(f"{zero_note(result)} Intervals hold 95 %, over pairs.")
        yield from _crosstable(result, room)
        if result.tally.games:
            yield _seats(result)
    if result.blocks is not None:
        yield Text(blocks_note(result, result.blocks))
    if result.differences:
        on = "from common starts" if result.common_starts else "on the same dice"
        title = f"Mean difference of {paid(result)}s {on if not result.own_dice else ''}".rstrip()
        headings = (result.observations, *DIFFERENCES[1:])
        yield from _of_meetings(title, headings, difference_rows(result), room)
        yield Text(differences_note(result))
    for name in ("few_pairs", "common_starts", "own_dice", "sprt", "looks"):
        if name in notes:
            yield notes.pop(name)
    yield from _luck(result, room)
    yield from notes.values()
    if faults := " ".join(_faults(result)):
        yield Text(f"Faults. {faults}", style="red")


def _printable(result: TournamentResult) -> TournamentResult:
    """Returns the result with printable names.

    Tables measure names before a `PlainConsole` escapes them, and would truncate those that become longer.
    """
    names = {name: tuple(map(printable, getattr(result, name))) for name in ("agents", "timed", "clockless")}
    evaluator = result.luck_evaluator and printable(result.luck_evaluator)
    if names["agents"] == result.agents and evaluator == result.luck_evaluator:
        return result  # because its ratings are already computed
    return replace(
        result,
        agents=names["agents"],
        timed=names["timed"],
        clockless=names["clockless"],
        luck_evaluator=evaluator,
    )


def _head(result: TournamentResult) -> Text:
    played = in_units(result.games, result.tally.pairs, units(result.players))
    early = f", stopped early ({result.planned_pairs:,} planned)" if result.interrupted else ""
    seed = f"seed {result.seed}" if result.key is None else f"key {key_shown(result)}"
    game = printable(result.game)
    return Text(f"{game}: {played}{early}, {seed}, {result.seconds:.1f} s", style="bold")


def _table(title: str | None = None) -> Table:
    named = None if title is None else Text(title)
    return Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", title_style="", title=named)


def _numbers(table: Table, headings: Iterable[str]) -> None:
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)


def _standings(result: TournamentResult, room: _Room) -> Table:
    """Returns the standings with as many columns, from the left, as fit the terminal."""
    columns, moved = shown(result), flagged(result)

    def made(columns: Sequence[Column]) -> Table:
        table = _table()
        table.add_column("#", justify="right", no_wrap=True, min_width=1)
        table.add_column("agent", overflow="fold", min_width=12)
        _numbers(table, (column.heading for column in columns))
        for rank, line in enumerate(result.standings, start=1):
            name = f"{line.agent} {FLAG}" if line.agent in moved else line.agent
            table.add_row(str(rank), Text(name), *(column.text(line) for column in columns))
        return table

    for count in range(len(columns), 2, -1):
        table = made(columns[:count])
        if room.fits(table):
            break
    if count < len(columns):
        table.caption = f"No room for: {', '.join(column.heading for column in columns[count:])}."
        table.caption_justify = "left"
    return table


def _crosstable(result: TournamentResult, room: _Room) -> list[RenderableType]:
    """Returns tables of the row's score against the column's in percent, with intervals if these fit."""
    order = [result.agents.index(name) for name in result.ranked_names]
    matrix, (low, high) = result.matrix, result.matrix_interval

    def cell(i: int, j: int, intervals: bool) -> str:
        if isnan(matrix[i, j]):
            return ""
        score = f"{100 * matrix[i, j]:.0f}"
        return f"{score}\n{100 * low[i, j]:.0f}-{100 * high[i, j]:.0f}" if intervals else score

    def block(ranks: range, *, intervals: bool) -> Table:
        table = _table()
        table.collapse_padding = not intervals
        table.add_column("#", justify="right", no_wrap=True, min_width=1)
        table.add_column("agent", overflow="fold" if intervals else "ellipsis")
        for rank in ranks:
            table.add_column(str(rank + 1), justify="center", no_wrap=True)
        for rank, i in enumerate(order, start=1):
            cells = (cell(i, order[other], intervals) for other in ranks)
            table.add_row(str(rank), Text(result.agents[i]), *cells)
        return table

    tables = room.blocks(len(order), partial(block, intervals=True))
    if len(tables) == 1:
        return [Text("Score in % of row against column, and its 95 % interval"), *tables]
    return [
        Text("Score in % of row against column; the 95 % intervals are in the report and in --json"),
        *room.blocks(len(order), partial(block, intervals=False)),
    ]


def _seats(result: TournamentResult) -> Text:
    advantage, low, high = result.ratings.seat_advantage
    losses, draws, wins = result.tally.seat_0
    games, events = losses + draws + wins, result.tally.actions / max(result.tally.whole_games, 1)
    return Text(
        f"The first seat scored {100 * (wins + draws / 2) / games:.1f} % of the points; against an equal "
        f"opponent it is worth {elo(advantage)} Elo ({bounds(low, high, shown=elo)}). "
        f"{100 * draws / games:.1f} % draws, {events:.0f} events a game."
    )


def _luck(result: TournamentResult, room: _Room) -> Iterator[Table]:
    if result.luck_evaluator is not None:
        title = f"Mean {paid(result)} per game, raw and luck-adjusted by {result.luck_evaluator}"
        left_out = any(line.left_out for line in result.adjusted)
        caption = f"Left out: {result.observations} with a forfeit." if left_out else None
        yield from _of_meetings(title, (result.observations, *LUCK[1:]), luck_rows(result), room, caption)
    if result.lucks:
        table = _table(f"Luck in the {paid(result)} of a game")
        table.add_column("agent", overflow="fold")
        _numbers(table, (result.observations, "luck ± 95 %", "z"))
        for name, *numbers in lucks_rows(result):
            table.add_row(Text(name), *numbers)
        yield table


def _of_meetings(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    room: _Room,
    caption: str | None = None,
) -> list[Table]:
    """Returns tables with a line for any two agents: their names, and a cell under each heading."""

    def block(places: range) -> Table:
        table = _table(title if places.start == 0 else None)
        table.caption = caption if places.stop == len(headings) else None
        for column in ("agent", "against"):
            table.add_column(column, overflow="fold")
        _numbers(table, (headings[place] for place in places))
        for row in rows:
            table.add_row(Text(row[0]), Text(row[1]), *(row[2 + place] for place in places))
        return table

    return room.blocks(len(headings), block)


def _faults(result: TournamentResult) -> Iterator[str]:
    for name, totals in zip(result.agents, result.tally.agents, strict=True):
        if totals.cost.overruns or totals.cost.wall_overruns:
            yield (
                f"{name}: {totals.cost.overruns} of {totals.cost.moves} moves over the clock in CPU time, "
                f"{totals.cost.wall_overruns} in wall-clock time."
            )
        if totals.voids or totals.forfeits:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.forfeits.items()))
            count = totals.forfeits.total()
            forfeits = f"{count} game{'' if count == 1 else 's'} forfeited" + (f" ({kinds})" if kinds else "")
            last = f" Last: {printable(totals.last_fault)}." if totals.last_fault else ""
            unit = "pair" if result.players <= 2 else "block"
            voids = f"{totals.voids} {unit}{'' if totals.voids == 1 else 's'} void and played again, "
            yield f"{name}: {voids if totals.voids else ''}{forfeits}.{last}"
