"""`starspiel replay`: a stored game, move by move."""

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.table import Table
from rich.text import Text

from starspiel.cli.output import Board, opened_for_reading, show, show_json
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.modules import resolve
from starspiel.evaluation.outputs import check_output, files_of_store
from starspiel.evaluation.store.replay import Event, events
from starspiel.evaluation.store.rows import StoredGame


def replay(
    store: Path,
    game_id: str,
    /,
    *,
    boards: Annotated[bool, Parameter(negative="")] = False,
    html: Path | None = None,
    reference: str | None = None,
    trust: Annotated[bool, Parameter(negative="")] = False,
    salvage: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Walk through a stored game with what the agents thought of each move.

    Values are player 0's expected return in the mover's eyes.

    For example:

        starspiel replay run.db 4f1c22a09be3d771
        starspiel replay run.db 4f1c --boards
        starspiel replay run.db 4f1c --html game.html --reference "star2(depth=3)"

    Parameters
    ----------
    store
        The file that `starspiel tournament --store` wrote.
    game_id
        The game's id, or its beginning; `starspiel export` lists them.
    boards
        Show the position after every event.
    html
        Write a page instead that steps through the game: boards, dice, every agent's value of every move,
        luck, and the move that decided it.
    reference
        The agent that judges the moves on that page; star2(depth=2) unless named.
    trust
        Import the modules that the names of the game, and on a page of its agents, name, if they are
        module:Rules: they are run as programs. Without, you are asked at a terminal, and refused elsewhere.
    salvage
        Look for the game in what is sound of a damaged store, and say on standard error what is not.
    as_json
        Print one JSON object and nothing else.
    """
    if html is not None and (boards or as_json):
        raise StarspielError("--html writes a page instead: leave --boards and --json out.")
    if html is None and reference is not None:
        raise StarspielError("--reference judges the moves of a page: give --html, too.")
    with opened_for_reading(store, salvage=salvage) as opened:
        game = opened.game(game_id)
        stored = opened.json_game(game_id)
    if html is not None:
        _write_page(game, html, store, reference, trust)
        return
    walked = events(game, trust=trust)
    if as_json:
        show_json({**json.loads(stored), "names": [event.name for event in walked]})
        return
    show(Text(_title(game), style="bold"))
    table = _table()
    for event in walked:
        _add(table, event, game.names)
        if boards:
            show(table)
            show(Group(Board(event.after), ""))
            table = _table()
    if not boards:
        show(table)
    show(Text(_end(game)))


def _write_page(game: StoredGame, html: Path, store: Path, reference: str | None, trust: bool) -> None:
    check_output("the page", html, files_of_store(store))
    reviewed = resolve("starspiel.evaluation.review:review")(game, reference=reference, trust=trust)
    resolve("starspiel.evaluation.review:write_review")(reviewed, html, store)
    show(Text(f"the game is in {html}"))


def _title(game: StoredGame) -> str:
    seats = ", ".join(f"player {seat} {name}" for seat, name in enumerate(game.names))
    return f"{game.game}, game {game.id}: {seats}; pair {game.number}, seed {game.seed}"


def _table() -> Table:
    table = Table(box=None, pad_edge=False)
    for column, justify in (("#", "right"), ("player", "left"), ("move", "left")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for column in ("action", "value", "nodes", "ms"):
        table.add_column(column, justify="right")
    return table


def _add(table: Table, event: Event, names: tuple[str, ...]) -> None:
    table.add_row(
        str(event.number),
        "chance" if event.player == CHANCE else f"{event.player} {names[event.player]}",
        event.name,
        str(event.action),
        "" if event.value is None else f"{event.value:+.4f}",
        "" if event.nodes is None else f"{event.nodes:,}",
        "" if event.seconds is None else f"{1000 * event.seconds:.3g}",
        style="dim" if event.player == CHANCE else None,
    )


def _end(game: StoredGame) -> str:
    fault = game.record.fault
    if fault is not None:
        return f"Forfeited by player {fault.seat}, {game.names[fault.seat]}: {fault.kind}, {fault.message}."
    returns = ", ".join(f"{value:g}" for value in game.record.returns)
    return f"Returns: {returns}."
