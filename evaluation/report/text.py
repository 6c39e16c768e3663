"""A result in words and tables, for the terminal."""

from collections.abc import Callable, Sequence
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
from starspiel.evaluation.report.columns import STANDINGS, Column, shown
from starspiel.evaluation.report.faults import FLAG, flag_note, flagged
from starspiel.evaluation.report.luck import luck_alarm, luck_note, luck_rows, lucks_rows
from starspiel.evaluation.report.notes import (
    COMMON_STARTS_NOTE,
    DIFFERENCES_NOTE,
    alike_note,
    clock_note,
    difference_rows,
    few_pairs_note,
    key_shown,
    looks_note,
    own_dice_note,
    sprt_note,
    timed_note,
    zero_named,
    zero_note,
)
from starspiel.evaluation.report.plain import shown_plainly
from starspiel.evaluation.report.words import bounds, elo
from starspiel.evaluation.result import TournamentResult

#: Names of agents are folded to no less than this where tables want for room.
_NAME_WIDTH = 12


class _Room(NamedTuple):
    """How wide a table may be."""

    console: Console
    options: ConsoleOptions

    def fits(self, table: Table) -> bool:
        """Whether a table can be shown whole, without folding anything."""
        wide = self.options.update(max_width=1000)
        return self.console.measure(table, options=wide).maximum <= self.options.max_width

    def blocks(self, columns: int, make: Callable[[range], Table]) -> list[Table]:
        """Tables with all columns: as many as there is room for beside each other, the others below.

        `make` makes the table with these columns; names may be folded.
        """
        tables = []
        first = 0
        while first < columns:
            last, too_many = first + 1, columns + 1
            while too_many - last > 1:
                middle = (last + too_many) // 2
                fits = self._fits_folded(make(range(first, middle)))
                last, too_many = (middle, too_many) if fits else (last, middle)
            tables.append(make(range(first, last)))
            first = last
        return tables

    def _fits_folded(self, table: Table) -> bool:
        for column in table.columns:
            if not column.no_wrap:
                column.max_width = _NAME_WIDTH
        return self.fits(table)


def as_text(result: TournamentResult) -> str:
    """The tables as plain text, 120 columns wide."""
    out = PlainConsole(file=StringIO(), width=120)
    out.print(result)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue().rstrip()


def printed(result: TournamentResult, console: Console, options: ConsoleOptions) -> RenderResult:
    """All that is known, as tables and notes."""
    room, result = _Room(console, options), shown_plainly(result)
    parts: list[RenderableType] = [_head(result), _fitting_table(result, room)]
    if note := flag_note(result):
        parts.append(Text(note))
    if result.two_player:
        parts += [*_crosstable(result, room), _foot(result)]
    if result.differences:
        parts += [*_difference_table(result, room), Text(DIFFERENCES_NOTE)]
    if note := few_pairs_note(result):
        parts.append(Text(note))
    if result.common_starts:
        parts.append(Text(COMMON_STARTS_NOTE))
    if result.own_dice:
        parts.append(Text(own_dice_note(result)))
    if result.sprt is not None:
        parts.append(Text(sprt_note(result)))
    elif note := looks_note(result):
        parts.append(Text(note))
    if result.luck_evaluator is not None:
        parts += _luck_table(result, room)
        if result.lucks:
            parts.append(_lucks_table(result))
        if alarm := luck_alarm(result):
            parts.append(Text(alarm, style="bold"))
        if note := luck_note(result):
            parts.append(Text(note, style="yellow"))
    if result.clock is not None:
        parts.append(Text(clock_note(result)))
    if result.timed:
        parts.append(Text(timed_note(result)))
    if result.groups_alike:
        parts.append(Text(alike_note(result)))
    faults = _faults(result)
    yield from parts
    if faults:
        yield faults


def _head(result: TournamentResult) -> Text:
    pairs = result.tally.pairs
    played = f"{result.games:,} games in {pairs:,} {'pair' if pairs == 1 else 'pairs'}"
    early = f", stopped early ({result.planned_pairs:,} planned)" if result.interrupted else ""
    seed = f"seed {result.seed}" if result.key is None else f"key {key_shown(result)}"
    return Text(f"{result.game}: {played}{early}, {seed}, {result.seconds:.1f} s", style="bold")


def _fitting_table(result: TournamentResult, room: _Room) -> Table:
    """The standings with as many columns, from the left, as the terminal is wide enough for."""
    columns = shown(STANDINGS, result.two_player)
    for count in range(len(columns), 2, -1):
        table = _table(result, columns[:count])
        if room.fits(table):
            break
    if count < len(columns):
        table.caption = f"No room for: {', '.join(column.heading for column in columns[count:])}."
        table.caption_justify = "left"
    return table


def _table(result: TournamentResult, columns: tuple[Column, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right", no_wrap=True, min_width=1)
    table.add_column("agent", overflow="fold", min_width=12)
    for column in columns:
        table.add_column(column.heading, justify="right", no_wrap=True)
    moved = flagged(result)
    for rank, line in enumerate(result.standings, start=1):
        name = f"{line.agent} {FLAG}" if line.agent in moved else line.agent
        table.add_row(str(rank), Text(name), *(column.text(line) for column in columns))
    return table


def _crosstable(result: TournamentResult, room: _Room) -> list[RenderableType]:
    """Score in percent of the row's agent against the column's.

    With the 95 % interval below it, where all columns have room so.
    """
    order = [result.agents.index(name) for name in result.ranked_names]
    matrix, (low, high) = result.matrix, result.matrix_interval

    def cell(i: int, j: int, intervals: bool) -> str:
        if isnan(matrix[i, j]):
            return ""
        score = f"{100 * matrix[i, j]:.0f}"
        return f"{score}\n{100 * low[i, j]:.0f}-{100 * high[i, j]:.0f}" if intervals else score

    def block(ranks: range, *, intervals: bool) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=not intervals)
        table.add_column("#", justify="right", no_wrap=True, min_width=1)
        table.add_column("agent", overflow="fold" if intervals else "ellipsis")
        for rank in ranks:
            table.add_column(str(rank + 1), justify="center", no_wrap=True)
        for rank, i in enumerate(order, start=1):
            name = Text(result.agents[i])
            table.add_row(str(rank), name, *(cell(i, order[rank], intervals) for rank in ranks))
        return table

    tables = room.blocks(len(order), partial(block, intervals=True))
    if len(tables) == 1:
        return [Text("Score in % of row against column, and its 95 % interval"), *tables]
    return [
        Text("Score in % of row against column; the 95 % intervals are in the report and in --json"),
        *room.blocks(len(order), partial(block, intervals=False)),
    ]


def _luck_table(result: TournamentResult, room: _Room) -> list[Table]:
    return _of_meetings(
        f"Mean return per game, raw and luck-adjusted by {result.luck_evaluator}",
        ("pairs", "left out", "raw ± 95 %", "adjusted ± 95 %", "variance factor"),
        luck_rows(result),
        room,
        caption="Left out: pairs with a forfeit." if any(line.left_out for line in result.adjusted) else None,
    )


def _lucks_table(result: TournamentResult) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title_style="", title=Text("Luck per game, in return"))
    table.add_column("agent", overflow="fold")
    for column in ("pairs", "luck ± 95 %", "z"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, *numbers in lucks_rows(result):
        table.add_row(Text(name), *numbers)
    return table


def _difference_table(result: TournamentResult, room: _Room) -> list[Table]:
    title = (
        f"Mean difference of returns {'from common starts' if result.common_starts else 'on the same dice'}"
        if not result.own_dice
        else "Mean difference of returns"
    )
    return _of_meetings(title, ("pairs", "difference", "95 %", "p (Holm)"), difference_rows(result), room)


def _of_meetings(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    room: _Room,
    caption: str | None = None,
) -> list[Table]:
    """A line for every two agents: their names, and a cell under each heading."""

    def block(places: range) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, title_style="")
        table.title = Text(title) if places.start == 0 else None
        table.caption = caption if places.stop == len(headings) else None
        for column in ("agent", "against"):
            table.add_column(column, overflow="fold")
        for place in places:
            table.add_column(headings[place], justify="right", no_wrap=True)
        for row in rows:
            table.add_row(Text(row[0]), Text(row[1]), *(row[2 + place] for place in places))
        return table

    return room.blocks(len(headings), block)


def _foot(result: TournamentResult) -> Text:
    advantage, low, high = result.ratings.seat_advantage
    losses, draws, wins = result.tally.seat_0
    games, events = max(losses + draws + wins, 1), result.tally.actions / max(result.tally.whole_games, 1)
    return Text(
        f"Elo 0 is {zero_named(result)}; 95 % intervals over pairs. "
        f"First seat: {100 * (wins + draws / 2) / games:.1f} % of points, "
        f"worth {elo(advantage)} Elo ({bounds(low, high, shown=elo)}). "
        f"{100 * draws / games:.1f} % draws, {events:.0f} events a game. {zero_note(result)}".rstrip()
    )


def _faults(result: TournamentResult) -> Text | None:
    lines = []
    for name, totals in zip(result.agents, result.tally.agents, strict=True):
        if totals.cost.overruns or totals.cost.wall_overruns:
            lines.append(
                f"{name}: {totals.cost.overruns} of {totals.cost.moves} moves over the clock in CPU time, "
                f"{totals.cost.wall_overruns} in wall-clock time."
            )
        if totals.voids or totals.forfeits:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.forfeits.items()))
            count = totals.forfeits.total()
            forfeits = f"{count} game{'' if count == 1 else 's'} forfeited" + (f" ({kinds})" if kinds else "")
            last = f" Last: {printable(totals.last_fault)}." if totals.last_fault else ""
            voids = f"{totals.voids} pair{'' if totals.voids == 1 else 's'} void and played again, "
            lines.append(f"{name}: {voids if totals.voids else ''}{forfeits}.{last}")
    return Text("Faults. " + " ".join(lines), style="red") if lines else None
