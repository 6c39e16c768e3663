"""Shows progress and standings while a tournament runs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from starspiel.cli.output import table_of
from starspiel.evaluation import Progress
from starspiel.evaluation.starting import listening
from starspiel.evaluation.statistics.looks import in_words

#: The text shown before there is a first result.
_FIRST = "creating the agents and playing their first games"
#: The minimum time between two drawings, in units of the time that the last one took.
_SHARE = 10.0
#: The maximum number of agents whose differences are tested while they play; with more, tests take too long.
_MOST_COMPARED = 12


@contextmanager
def starting_shown(console: Console) -> Iterator[None]:
    """Within this context, a terminal shows which agent is being created, and which steps may take long."""
    if not console.is_terminal:
        yield
        return
    with console.status("starting", spinner="line") as status, listening(status.update):
        yield


class Display:
    """A display of progress and standings: redrawn on a terminal, a line every few seconds elsewhere."""

    def __init__(self, console: Console, first: str = _FIRST) -> None:
        self._console = console
        self._first_line = first
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._every = 0.25 if console.is_terminal else 5.0
        self._shown = perf_counter()
        self._first: Progress | None = None

    def __enter__(self) -> "Display":
        if self._console.is_terminal:
            self._live.start()
            self._put(Text(self._first_line))
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self, progress: Progress) -> None:
        """Called after each pair; draws at most four times a second, and less often if drawing takes long."""
        self._first = self._first or progress
        if not self._due():
            return
        line, sure = _line(progress, self._first), ""
        if len(progress.names) <= _MOST_COMPARED:
            sure = in_words(progress.tally, progress.names, progress.gauntlet)
        terminal = self._console.is_terminal
        self._put(_drawn(progress, line, sure) if terminal else f"{line}\n{sure}".rstrip())
        took = perf_counter() - self._shown
        self._shown += _SHARE * took  # summing up many games takes long

    def show_luck(self, done: int, total: int) -> None:
        """Called after each stored game whose missing luck has been measured."""
        self._show_count("measuring luck once in stored games", done, total)

    def show_compared(self, done: int, total: int) -> None:
        """Called for each stored pair whose games are replayed."""
        self._show_count("playing stored pairs again", done, total)

    def show_judged(self, done: int, total: int) -> None:
        """Called after each event of a game whose moves are being judged."""
        self._show_count("judging the game's moves, events", done, total)

    def _show_count(self, what: str, done: int, total: int) -> None:
        if self._due():
            self._put(f"{what}: {done:,} of {total:,}")

    def _due(self) -> bool:
        now = perf_counter()
        if now - self._shown < self._every:
            return False
        self._shown = now
        return True

    def _put(self, shown: RenderableType) -> None:
        if self._console.is_terminal:
            self._live.update(shown, refresh=True)
        else:
            print(shown, file=sys.stderr, flush=True)


def _line(progress: Progress, first: Progress) -> str:
    """Returns a line with the pairs done, their total, the speed and the time left; fits 80 columns.

    Speed and time left do not include the time until the first pair, in which agents start.
    """
    played, seconds = max(progress.done - progress.stored, 1), progress.seconds
    if progress.done > first.done:
        played, seconds = progress.done - first.done, seconds - first.seconds
    rate = played * progress.tally.games / max(progress.done, 1) / max(seconds, 1e-9)
    minutes, rest = divmod(round(seconds / played * (progress.total - progress.done)), 60)
    left = f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    if minutes >= 60:
        left = f"{minutes // 60} h {minutes % 60:02} min"
    done = f"{progress.done:,} of {progress.total:,} {progress.units}"
    return f"{done}, {rate:,.1f} games/s, about {left} left"


def _drawn(progress: Progress, line: str, sure: str) -> RenderableType:
    table = table_of("agent", right=("points", "games", "score"))
    table.columns[0].overflow = "fold"
    lines = zip(progress.names, progress.tally.agents, strict=True)
    for name, totals in sorted(lines, key=lambda line: -line[1].points / max(line[1].games, 1)):
        share = totals.points / max(totals.games, 1)
        score = f"{100 * share:.1f} %" if progress.tally.two_player else f"{share:.4g}"
        table.add_row(name, f"{totals.points:g}", str(totals.games), score)
    bar = Table.grid()  # a ProgressBar alone prints no newline
    bar.add_row(ProgressBar(total=progress.total, completed=progress.done, width=60))
    return Group(bar, Text(line), table, *([Text(sure)] if sure else []))
