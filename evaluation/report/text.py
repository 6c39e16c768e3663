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

from starspiel.envs.printable import printable
from starspiel.evaluation.report.columns import STANDINGS, Column, shown
from starspiel.evaluation.report.faults import FLAG, flag_note, flagged
from starspiel.evaluation.report.luck import luck_alarm, luck_note, luck_rows, lucks_rows
from starspiel.evaluation.report.plain import PlainConsole, shown_plainly
from starspiel.evaluation.report.words import bounds, elo, points
from starspiel.evaluation.result import SprtResult, TournamentResult
from starspiel.evaluation.statistics import always_valid
from starspiel.evaluation.statistics.means import values_needed

#: What the table of differences rests on.
DIFFERENCES_NOTE = (
    "95 % over pairs, – if nothing varies; p by flipping the signs of the differences and by the interval, "
    "whichever is greater, corrected for all comparisons."
)
#: What the games of a pair share where chance outcomes are not listed.
COMMON_STARTS_NOTE = (
    "Common starts, not common dice: the chances of this game are not listed, so a pair shares the seed that "
    "its games begin with, and every game then has its own dice from there."
)


#: Names of agents are folded to no less than this where tables want for room.
_NAME_WIDTH = 12
#: So many agents are named at most in a sentence.
_NAMED = 5


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


def few_pairs_note(result: TournamentResult) -> str:
    """Whose mean returns rest on too few pairs for their skew; empty if nobody's do."""
    if result.two_player:
        return ""
    needed = {
        name: values_needed(list(own.values()))
        for name, own in zip(result.agents, result.tally.solo, strict=True)
        if 1 < len(own) < values_needed(list(own.values()))
    }
    if not needed:
        return ""
    return (
        f"Few pairs for such returns: {', '.join(needed)}. Intervals and p hold if returns are about normal; "
        f"if a few games pay much more than the others, they take {max(needed.values()):,} pairs or more."
    )


def own_dice_note(result: TournamentResult) -> str:
    """Whose games share no dice, and why; empty where all do."""
    if not result.own_dice:
        return ""
    what = "a start" if result.common_starts else "dice"
    note = (
        f"Each game of {', '.join(result.own_dice)} has {what} of its own: agents of modules and programs "
        "could remember what was rolled before."
    )
    if result.settings is None:  # a ladder, which has no such setting
        return note
    return f"{note} Where you trust them, --common-dice makes intervals narrower."


def looks_note(result: TournamentResult) -> str:
    """What may be said of a match however often it is looked at or extended; empty if it is none."""
    if not result.two_player or len(result.agents) != 2:
        return ""
    return always_valid.in_words(result.results.five(0, 1), result.agents[0])


def sprt_note(result: TournamentResult) -> str:
    """How the sequential test stands, in words; empty without one."""
    if result.sprt is None:
        return ""
    own = "Its games are its own: a match of fixed length by the same seed plays others."
    return f"{in_words(result.sprt, *result.agents)} {own}"


def clock_note(result: TournamentResult) -> str:
    """What the clock was, and whom it cannot hold to it."""
    if result.clock is None:
        return ""
    without = f" No clock of their own: {', '.join(result.clockless)}." if result.clockless else ""
    return f"Moves of more than {result.clock:g} s are overruns.{without}"


def timed_note(result: TournamentResult) -> str:
    """Whose games depend on the machine and its load; empty where nobody's do."""
    if not result.timed:
        return ""
    return (
        f"Limited by seconds: {', '.join(result.timed)}. What they find depends on the machine and its "
        "load, so their games cannot be played again move for move."
    )


def zero_named(result: TournamentResult) -> str:
    """Whose rating is 0, or whose mean."""
    zero = result.ratings.zero
    played = int((result.results.pairs.sum(axis=-1) > 0).sum())
    if len(zero) >= played > 1:
        return "the mean of the field"
    names = [result.agents[agent] for agent in zero]
    if len(names) == 1:
        return names[0]
    named = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) <= _NAMED else f"{len(names)} agents"
    return f"the mean of {named}, between whom the results bound every difference"


def key_shown(result: TournamentResult) -> str:
    """The key, or what has become of it."""
    return result.key or "kept until all is played"


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
        f"{100 * draws / games:.1f} % draws, {events:.0f} events a game."
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


def alike_note(result: TournamentResult) -> str:
    """Whose scores differ by the dice alone; empty where no agents played alike."""
    notes = []
    for group in result.groups_alike:
        i, j = (result.agents.index(name) for name in group[:2])
        pairs = int(result.results.pairs[i, j])
        met = "the only pair" if pairs == 1 else f"all {pairs:,} pairs"
        notes.append(
            f"{', '.join(group[:-1])} and {group[-1]} played alike, move for move, in {met} of each two of "
            "them: what their scores differ by is luck, for they met the others with other dice."
        )
    return " ".join(notes)


def in_words(sprt: SprtResult, agent: str, opponent: str) -> str:
    """The test in a sentence or two, with the names of the two agents."""
    low, high = sprt.test.bounds
    accepted = "undecided"
    if sprt.verdict is not None:
        hypothesis = sprt.test.upper if sprt.verdict == "upper" else sprt.test.lower
        accepted = f"accepted {'nElo' if sprt.test.normalized else 'Elo'} {hypothesis:g}"
    return (
        f"SPRT {sprt.test}: {accepted} after {sum(sprt.five):,} pairs, LLR {sprt.llr:.2f} "
        f"({low:.2f}, {high:.2f}). Elo and points are those of {agent} against {opponent}: "
        f"pairs LL LD DD+WL WD WW {' '.join(map(str, sprt.five))}. Adjusted for stopping, its score is "
        f"{100 * sprt.score[0]:.1f} % ({100 * sprt.score[1]:.1f} … {100 * sprt.score[2]:.1f}, 95 %); "
        "so is Elo, but no other number of the table."
    )


def difference_rows(result: TournamentResult) -> list[tuple[str, ...]]:
    """Agent, the one it is compared with, pairs, mean difference, its interval, and p, as text."""
    return [
        (
            *(result.agents[agent] for agent in each.agents),
            f"{each.pairs:,}",
            points(each.mean, "+"),
            bounds(each.low, each.high, "+"),
            "–" if isnan(each.p_holm) else f"{each.p_holm:.3g}",
        )
        for each in result.differences
    ]
