"""`starspiel solve`: the exact value of a game."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from starspiel.agents.archive import archive_path
from starspiel.agents.solve import solve as solve_game
from starspiel.cli.output import show_json
from starspiel.envs.load import load_game


def solve(
    game: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    memory_limit: Annotated[int, Parameter(validator=validators.Number(gt=0))] = 4000,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Solve a game exactly and, if asked, write its solution for the agent `optimal`.

    The value is player 0's expected return under perfect play.

    For example:

        starspiel solve "pig(winscore=50)"
        starspiel solve star_pig --output pig.npz
        starspiel tournament star_pig --agents "optimal(solution=pig.npz)" star2

    Parameters
    ----------
    game
        A game string, the id of a Gymnasium environment with a transition table, or module:Rules for one of
        your own.
    output
        The file to write the values of all positions to.
    memory_limit
        Megabytes that solving may take; a larger game is refused.
    as_json
        Print one JSON object and nothing else.
    """
    if output is not None:
        output = archive_path(output, "solution")  # before the work, not after it
    with _Shown(Console(stderr=True), quiet=as_json) as progress:
        solution = solve_game(load_game(game), memory_gb=memory_limit / 1000, progress=progress.show)
    if output is not None:
        output = solution.save(output)
    if as_json:
        show_json(
            {
                "game": solution.game,
                "value": solution.value,
                "states": solution.states,
                "seconds": solution.seconds,
                "residual": solution.residual,
                "file": None if output is None else str(output),
            }
        )
        return
    print(solution)
    if output is not None:
        print(f"wrote {output}; play it with optimal(solution={output})")


class _Shown:
    """The estimate on stderr, unless `quiet`, and progress where stderr is a terminal."""

    def __init__(self, console: Console, quiet: bool) -> None:
        self._console = console
        self._quiet = quiet
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "_Shown":
        self._progress.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._progress.stop()

    def show(self, what: str, done: int, of: int | None) -> None:
        if done == 0 and of is None and what != "positions":  # the estimate, before anything starts
            if not self._quiet:
                self._console.print(what, highlight=False, soft_wrap=True)
            return
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=of)
        self._progress.update(self._tasks[what], completed=done, total=of)
