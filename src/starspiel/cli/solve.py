"""`starspiel solve`: computes the exact value of a game."""

import sys
from typing import Annotated

from cyclopts import Parameter, validators
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from starspiel.agents.archive import new_archive
from starspiel.agents.solve import solve as solve_game
from starspiel.cli.flags import Json, Output
from starspiel.cli.names import GameName
from starspiel.cli.output import picked, show_json
from starspiel.envs.load import load_game


def solve(
    game: GameName,
    /,
    *,
    output: Output = None,
    memory_limit: Annotated[int, Parameter(validator=validators.Number(gt=0))] = 4000,
    as_json: Json = False,
) -> None:
    """Solve a game exactly and, with --output, write its solution for the agent `optimal`.

    The value is player 0's expected return under perfect play. With more than two players, all maximize
    their own return, and a value is shown for each player.

    For example:

        starspiel solve "pig(winscore=50)"
        starspiel solve "pig(players=3,winscore=10)"
        starspiel solve star_pig --output pig.npz
        starspiel tournament star_pig --agents "optimal(solution=pig.npz)" star2

    Args:
        game: A game string, the id of a Gymnasium environment with a transition table, or module:Rules for
            your own.
        output: The file to write the values of all positions to; it must not exist yet.
        memory_limit: Megabytes of memory that solving may use. Games that need more are refused.
    """
    if output is not None:
        output = new_archive(output, "solution")  # before the work, not after it
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:

        def tell(what: str, done: int, of: int | None) -> None:
            if done == 0 and of is None and what != "positions":  # the estimate, before solving starts
                if not as_json:
                    console.print(what, highlight=False, soft_wrap=True)
                return
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=of)
            progress.update(tasks[what], completed=done, total=of)

        solution = solve_game(load_game(game), memory_gb=memory_limit / 1000, progress=tell)
    if output is not None:
        output = solution.save(output)
    if as_json:
        show_json(picked(solution, "game value states seconds residual") | {"file": output})
        return
    print(solution)
    if output is not None:
        print(f"wrote {output}; play it with optimal(solution={output})")
