"""`starspiel book`: writes an opening book by searching a game's openings deeply."""

from pathlib import Path

from starspiel.agents.archive import new_archive
from starspiel.agents.book.make import AGENT, POSITIONS, WITHIN, make_book
from starspiel.cli.flags import Json, Output
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.output import counting, picked, show, show_json
from starspiel.envs.load import load_game


def book(
    game: GameName,
    /,
    *,
    output: Output = None,
    agent: AgentName = AGENT,
    positions: int = POSITIONS,
    within: float = WITHIN,
    seed: int = 1,
    as_json: Json = False,
) -> None:
    """Search the openings of a game deeply and write an opening book, which agents read with `book=`.

    The likeliest positions are searched first. Ctrl-C ends early and writes what was searched so far.

    For example:

        starspiel book backgammon --agent "star2(depth=3)" --positions 500
        starspiel book pig -o pig_book.npz --agent "rollout(n=1000)"
        starspiel play backgammon --opponent "star2(book=backgammon.book.npz)"

    Args:
        game: A game string. The game must list its chance outcomes.
        output: The file to write, which must not exist yet. Defaults to GAME.book.npz.
        agent: The search or rollout agent that chooses the moves.
        positions: Maximum number of decisions to search.
        within: Also follow moves that are worse than the best by at most this much.
        seed: Seed of the agent.
    """
    played = load_game(game)
    named = output or Path(f"{played.name.partition('(')[0].replace('/', '_').replace(':', '_')}.book.npz")
    target = new_archive(named, "book")  # before the work, not after it
    with counting("position", "of at most") as tell:
        made = make_book(played, agent, positions=positions, within=within, seed=seed, tell=tell)
    target = made.save(target)
    size = target.stat().st_size
    if as_json:
        found = {"positions": len(made), "checksum": made.checksum, "file": str(target), "bytes": size}
        show_json(picked(made, "game agent") | found)
        return
    show(f"{made.game}: {len(made):,} positions by {made.agent}")
    show(f"wrote {target} ({size:,} bytes); play it with star2(book={target})")
