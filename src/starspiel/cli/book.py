"""`starspiel book`: a game's openings, searched deep and kept."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from starspiel.agents.archive import archive_path
from starspiel.agents.book.make import AGENT, POSITIONS, WITHIN, make_book
from starspiel.cli.output import show, show_json
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game


def book(
    game: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    agent: str = AGENT,
    positions: int = POSITIONS,
    within: float = WITHIN,
    seed: int = 1,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Search the openings of a game deep, and keep the moves for every agent's `book=`.

    The likeliest positions come first. Ctrl-C keeps what is done.

    For example:

        starspiel book backgammon --agent "star2(depth=3)" --positions 500
        starspiel book pig -o pig_book.npz --agent "rollout(n=1000)"
        starspiel play backgammon --opponent "star2(book=backgammon.book.npz)"

    Parameters
    ----------
    game
        A game string whose chances are listed.
    output
        The file to write, which is not there yet; GAME.book.npz unless told.
    agent
        The search or rollout that finds the moves.
    positions
        How many decisions are searched at most.
    within
        Moves so much worse than the best, at most, are followed too.
    seed
        Of the agent.
    as_json
        Print one JSON object and nothing else.
    """
    played = load_game(game)
    named = output or Path(f"{played.name.partition('(')[0].replace('/', '_').replace(':', '_')}.book.npz")
    target = archive_path(named, "book")  # before the work, not after it
    if target.exists():
        raise StarspielError(f"{target} is there already; name another file with --output.")
    with Console(stderr=True).status("position 1", spinner="line") as status:

        def tell(done: int, most: int) -> None:
            status.update(f"position {done:,} of at most {most:,}")

        made = make_book(
            played, agent, positions=positions, within=within, seed=seed, tell=tell, interruptible=True
        )
    target = made.save(target)
    if as_json:
        show_json(
            {"game": made.game, "agent": made.agent, "positions": len(made), "checksum": made.checksum}
            | {"file": str(target), "bytes": target.stat().st_size}
        )
        return
    show(f"{made.game}: {len(made):,} positions by {made.agent}")
    show(f"wrote {target} ({target.stat().st_size:,} bytes); play it with star2(book={target})")
