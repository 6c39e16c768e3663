"""`starspiel tournament`: pairs of games, live, with tables at the end."""

import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Literal

import msgspec
from cyclopts import Parameter
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.output import show, show_json, stdout_kept_clean
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.spec import parse_spec
from starspiel.evaluation import Progress, TournamentResult
from starspiel.evaluation import tournament as play
from starspiel.evaluation.config import TournamentConfig, check_not_empty, read_config
from starspiel.evaluation.estimate import estimate
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.outputs import check_output, files_of_spec, files_of_store
from starspiel.evaluation.prepare import entrants, prepare
from starspiel.evaluation.tournament import Engine, checked_plan

Flag = Annotated[bool, Parameter(negative="")]


def tournament(
    *game: str,
    agents: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    pairs: Annotated[int | None, Parameter(env_var="STARSPIEL_PAIRS")] = None,
    seed: int | None = None,
    format: Literal["round-robin", "gauntlet"] | None = None,
    sprt: str | None = None,
    starts: str | None = None,
    luck: str | None = None,
    anchor: str | None = None,
    clock: float | None = None,
    workers: int | None = None,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    move_limit: float | None = None,
    memory_limit: int | None = None,
    store: str | None = None,
    report: str | None = None,
    config: Path | None = None,
    dry_run: Flag = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Play a tournament between agents and rate them.

    Every two agents meet in pairs: two games with the same dice and swapped seats. The same command plays
    the same games, move for move, unless agents are limited by seconds. Ctrl-C ends early and prints
    what was played so far.

    For example:

        starspiel tournament
        starspiel tournament pig --agents random greedy "star2(depth=1)" --workers 2
        starspiel tournament pig --agents "star2(depth={1,2,3})" --luck heuristic
        starspiel tournament pig --agents random star2 --pairs 50 --store pig.db
        starspiel tournament pig --agents star1 star2 --sprt nelo0=0,nelo1=20

    Parameters
    ----------
    game
        Game strings (see `starspiel games`), or module:Rules for one of your own. Default
        einstein_wurfelt_nicht.
    agents
        Specs, or name=spec; see `starspiel agents`. "star2(depth={1,2,3})" is three agents. Default: those
        of random, MCTS at two budgets, expectiminimax, Star1 and Star2 that can play the game.
    pairs
        Pairs that every two agents play. Default 10; with --sprt at most 100,000.
    seed
        Of the dice and the agents. Default 1.
    format
        round-robin (the default), or gauntlet: the first agent against each other.
    sprt
        For two agents: a test that ends the match by itself, nelo0=0,nelo1=5 or elo0=0,elo1=5.
    starts
        A file of histories to start from, one a line, such as 3,0,17.
    luck
        An evaluator, e.g. heuristic: mean returns are also shown adjusted for the luck of the dice by it.
    anchor
        The agent whose Elo is 0; without one, 0 is the mean of the field.
    clock
        Seconds a move for every agent that takes seconds and is given none; of all agents, moves 10 % over it
        are counted, in CPU and in wall-clock time.
    workers
        Processes that play. The games are the same whatever their number. Default 1.
    engine
        local (the default), or ray: a Ray cluster, which needs pip install "starspiel[ray]".
    address
        Of a running Ray cluster, e.g. auto; without, one of as many workers is started on this machine.
    move_limit
        Wall-clock seconds of a move after which an agent has lost the game.
    memory_limit
        Megabytes an agent may take before it has lost the game.
    store
        A file that keeps every game. What it holds is not played again: run the same command to resume, or
        one with more pairs or agents to extend.
    report
        A file for the result as a web page that needs no network; with several games, one for each.
    config
        A TOML file with any of these settings by the same names (move_limit, not move-limit); what the
        command line says goes before it.
    dry_run
        Check everything, say how many games are to be played and about how long that takes, and stop.
    as_json
        Print one JSON object and nothing else.
    """
    flags: dict[str, Any] = {
        "game": list(game) or None,
        "agents": agents,
        "pairs": pairs,
        "seed": seed,
        "format": format,
        "sprt": sprt,
        "starts": starts,
        "luck": luck,
        "anchor": anchor,
        "clock": clock,
        "workers": workers,
        "engine": engine,
        "address": address,
        "move_limit": move_limit,
        "memory_limit": memory_limit,
        "store": store,
        "report": report,
    }
    settings = TournamentConfig() if config is None else read_config(config)
    settings = msgspec.structs.replace(
        settings, **{name: value for name, value in flags.items() if value is not None}
    )
    check_not_empty(settings)
    limits, cluster = _engine(settings)
    _check_games(settings)
    _check_reports(settings, config)
    if dry_run:
        with stdout_kept_clean():
            answers = [estimate(name, settings) for name in settings.games]
        _answer([answer.to_dict() for answer in answers], list(answers), as_json)
        return OK
    with stdout_kept_clean():
        results, failure = _play_all(settings, limits, cluster)
    if results and results[-1].interrupted:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # A second Ctrl-C is not to lose what was played.
    if results:  # Before the report: what was played is not to be lost by it.
        _answer([result.to_dict() for result in results], list(results), as_json)
    if failure is not None:
        raise failure
    if settings.report is not None:
        _report(results, settings)
    return INTERRUPTED if results[-1].interrupted else OK


def _check_games(settings: TournamentConfig) -> None:
    if len(settings.games) == 1:
        return
    seen: set[str] = set()
    for given in settings.games:
        name = load_game(given).name
        if name in seen:
            raise StarspielError(f"game {name!r} is listed twice; name it once, and play more pairs.")
        seen.add(name)


def _check_reports(settings: TournamentConfig, config: Path | None) -> None:
    if settings.report is None:
        return
    inputs = list(_inputs(settings, config))
    for path in _report_files(settings):
        check_output("the report", path, inputs)


def _report_files(settings: TournamentConfig) -> Iterator[Path]:
    """Several games have a file each: report.html, report-2.html, ..."""
    first = Path(settings.report or "")
    yield first
    for number in range(2, len(settings.games) + 1):
        yield first.with_stem(f"{first.stem}-{number}")


def _inputs(settings: TournamentConfig, config: Path | None) -> Iterator[tuple[str, str | Path]]:
    """The files that the settings name, with what they are."""
    if settings.store is not None:
        yield from files_of_store(settings.store)
    if config is not None:
        yield "the configuration", config
    if settings.starts is not None:
        yield "the start positions", settings.starts
    field = () if settings.agents is None else entrants(settings.agents)  # the usual ones read no file
    sources = [entrant.source for entrant in field]
    named = [*settings.games, *(source for source in sources if isinstance(source, str))]
    for text in named if settings.luck is None else [*named, settings.luck]:
        with suppress(StarspielError):  # What does not parse is for its reader to say.
            yield from files_of_spec(parse_spec(text))


def _engine(settings: TournamentConfig) -> tuple[HardLimits | None, Engine | None]:
    """The limits, and the cluster if there is one to play on."""
    if settings.workers < 1:
        raise StarspielError(f"expected at least 1 worker, got {settings.workers}.")
    limits = None
    if settings.move_limit is not None or settings.memory_limit is not None:
        limits = HardLimits(settings.move_limit, settings.memory_limit)
    if settings.engine == "ray":
        from starspiel.evaluation.processes.cluster import RayCluster

        return limits, RayCluster(settings.workers, settings.address, limits)
    if settings.address is not None:
        raise StarspielError("an address is for the engine ray; add --engine ray.")
    return limits, None


def _play_all(
    settings: TournamentConfig, limits: HardLimits | None, cluster: Engine | None
) -> tuple[list[TournamentResult], StarspielError | None]:
    """The results, and what ended the play before the last of them."""
    if len(settings.games) > 1:  # All are checked before the first is played.
        for name in settings.games:
            job = prepare(
                name,
                settings.field(name),
                settings.seed,
                luck=settings.luck,
                starts=settings.starts,
                clock=settings.clock,
            )
            checked_plan(job, settings.pair_count, settings.format, settings.sprt, settings.anchor)
    results: list[TournamentResult] = []
    for name in settings.games:
        try:
            with _Display(Console(stderr=True, markup=False, emoji=False)) as display:
                result = play(
                    name,
                    settings.field(name),
                    settings.pair_count,
                    settings.seed,
                    format=settings.format,
                    sprt=settings.sprt,
                    starts=settings.starts,
                    luck=settings.luck,
                    anchor=settings.anchor,
                    clock=settings.clock,
                    workers=settings.workers,
                    limits=limits,
                    engine=cluster,
                    store=settings.store,
                    on_pair=display.show,
                    on_luck=display.show_luck,
                )
        except StarspielError as error:
            return results, error
        results.append(result)
        if result.interrupted:
            break
    return results, None


def _report(results: list[TournamentResult], settings: TournamentConfig) -> None:
    from starspiel.evaluation.report import write_reports

    for file in write_reports(results, list(_report_files(settings)), store=settings.store):
        print(f"Report: {file}", file=sys.stderr)


def _answer(answers: list[dict[str, Any]], shown: list[RenderableType], as_json: bool) -> None:
    if as_json:
        show_json(answers[0] if len(answers) == 1 else {"tournaments": answers})
    else:
        for result in shown:
            show(result)


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
        if self._due():
            self._put(_drawn(progress) if self._console.is_terminal else _line(progress))

    def show_luck(self, done: int, total: int) -> None:
        """Called after each stored game whose luck was missing."""
        if self._due():
            self._put(f"measuring luck once in stored games: {done:,} of {total:,}")

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


def _line(progress: Progress) -> str:
    """What is done, of how much, how fast and for how much longer; fits a terminal of 80 columns."""
    played = max(progress.done - progress.stored, 1)
    rate = played * progress.tally.games / max(progress.done, 1) / max(progress.seconds, 1e-9)
    left = progress.seconds / played * (progress.total - progress.done)
    return f"{progress.done:,} of {progress.total:,} pairs, {rate:,.1f} games/s, about {duration(left)} left"


def duration(seconds: float) -> str:
    """A time in words, e.g. 2 min 05 s."""
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
    bar = Table.grid()  # a bare bar does not end its line
    bar.add_row(ProgressBar(total=progress.total, completed=progress.done, width=60))
    return Group(bar, Text(_line(progress)), table)
