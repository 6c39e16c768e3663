"""`starspiel tournament`: a round robin in pairs, live, with a table at the end."""

import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.output import show, show_json
from starspiel.evaluation import Progress
from starspiel.evaluation import tournament as play
from starspiel.evaluation.workers import HardLimits

DEFAULT_GAME = "einstein_wurfelt_nicht"
DEFAULT_AGENTS = (
    "random",
    "mcts(simulations=100)",
    "mcts(simulations=1000)",
    "expectiminimax(depth=3)",
    "star1(depth=3)",
    "star2(depth=3)",
)
DEFAULT_PAIRS = 10


def tournament(
    game: str = DEFAULT_GAME,
    /,
    *,
    agents: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    pairs: Annotated[int, Parameter(env_var="STARSPIEL_PAIRS")] = DEFAULT_PAIRS,
    seed: int = 1,
    luck: str | None = None,
    workers: int = 1,
    move_limit: float | None = None,
    memory_limit: int | None = None,
    store: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Play a round robin between agents and rate them.

    Every two agents meet in pairs: two games with the same dice and swapped seats. The same command plays
    the same games, move for move. Ctrl-C ends early and prints what was played so far. Examples:

        starspiel tournament
        starspiel tournament backgammon --agents random greedy "star2(depth=1)" --pairs 20
        starspiel tournament "pig(winscore=50)" --agents random "mcts(simulations=200)" --json

    Parameters
    ----------
    game
        An OpenSpiel game string; see `starspiel games`.
    agents
        Specs; see `starspiel agents`. Without any: random, MCTS at two budgets, expectiminimax, Star1, Star2.
    pairs
        Pairs that every two agents play.
    seed
        Of the dice and the agents.
    luck
        An evaluator, e.g. heuristic: mean returns are also shown adjusted for the luck of the dice by it.
    workers
        Processes that play. The games are the same whatever their number.
    move_limit
        Wall-clock seconds of a move after which an agent has lost the game.
    memory_limit
        Megabytes an agent may take before it has lost the game.
    store
        A file that keeps every game. What it holds is not played again: run the same command to resume, or
        one with more pairs or agents to extend.
    as_json
        Print one JSON object and nothing else.
    """
    chosen = DEFAULT_AGENTS if agents is None else agents
    limits = None
    if move_limit is not None or memory_limit is not None:
        limits = HardLimits(move_limit, memory_limit)
    with _Display(Console(stderr=True)) as display:
        result = play(
            game,
            chosen,
            pairs,
            seed,
            luck=luck,
            workers=workers,
            limits=limits,
            store=store,
            on_pair=display.show,
        )
    if as_json:
        show_json(result.to_dict())
    else:
        show(result)
    return INTERRUPTED if result.interrupted else OK


class _Display:
    """Progress and standings while a tournament runs: drawn on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._every = 0.25 if console.is_terminal else 5.0
        self._shown = perf_counter()

    def __enter__(self) -> "_Display":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self, progress: Progress) -> None:
        """Called after each pair; draws at most four times a second."""
        now = perf_counter()
        if now - self._shown < self._every:
            return
        self._shown = now
        if self._console.is_terminal:
            self._live.update(_drawn(progress), refresh=True)
        else:
            print(_line(progress), file=sys.stderr, flush=True)


def _line(progress: Progress) -> str:
    played = progress.done - progress.stored
    rate = played * progress.tally.games / progress.done / max(progress.seconds, 1e-9)
    left = progress.seconds / played * (progress.total - progress.done)
    return (
        f"{progress.done:,} of {progress.total:,} pairs, {progress.tally.games:,} games, "
        f"{rate:,.1f} games/s, about {_duration(left)} left"
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    )


def _drawn(progress: Progress) -> RenderableType:
    table = Table(box=None, pad_edge=False)
    table.add_column("agent", overflow="fold")
    for column in ("points", "games", "score"):
        table.add_column(column, justify="right")
    lines = zip(progress.names, progress.tally.agents, strict=True)
    for name, totals in sorted(lines, key=lambda line: -line[1].points / max(line[1].games, 1)):
        share = totals.points / max(totals.games, 1)
        score = f"{100 * share:.1f} %" if progress.tally.two_player else f"{share:.4g}"
        table.add_row(name, f"{totals.points:g}", str(totals.games), score)
    bar = ProgressBar(total=progress.total, completed=progress.done, width=60)
    return Group(bar, Text(_line(progress)), table)
