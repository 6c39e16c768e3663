"""`starspiel replay`: shows a stored game move by move."""

import json
from itertools import islice
from pathlib import Path

from rich.console import Group
from rich.text import Text

from starspiel.agents.evaluators.auto import usual_outlook
from starspiel.cli.flags import Json, Stored, Trust
from starspiel.cli.names import AgentName
from starspiel.cli.output import Board, show, show_json, stdout_kept_clean, table_of
from starspiel.cli.progress import Display
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import game_of, load_game
from starspiel.envs.modules import resolve
from starspiel.envs.outlook import outlook
from starspiel.envs.scoring import points_of
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.outputs import check_output, files_of_store
from starspiel.evaluation.play.pairing import units
from starspiel.evaluation.store.replay import Event, ending, events
from starspiel.evaluation.store.rows import StoredGame
from starspiel.evaluation.store.store import Store

#: The maximum number of games listed.
_LISTED = 20


def replay(
    store: Stored,
    game_id: str | None = None,
    /,
    *,
    boards: bool = False,
    html: Path | None = None,
    reference: AgentName | None = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Step through a stored game, with each agent's own evaluation of its moves.

    Each move is shown with the mover's chance to win, or its expected score or return, as the mover itself
    estimated it. --json gives player 0's expected return instead.

    For example:

        starspiel replay run.db
        starspiel replay run.db 4f1c22a09be3d771
        starspiel replay run.db 4f1c --boards
        starspiel replay run.db 4f1c --html game.html --reference "star2(depth=3)"

    Args:
        game_id: The game's id, or the start of it. Without an id, the first games of the store are listed.
        boards: Show the position after every event.
        html: Write a web page instead that steps through the game: boards, dice, each agent's values of the
            moves, luck, mistakes, and whether it was won by luck or by play.
        reference: The agent that judges the moves on that page. Defaults to star2(depth=2), and to
            star1(depth=2) with more than two players.
    """
    if game_id is None:
        if html is not None or as_json:
            raise StarspielError(
                "--html and --json show one game: give its id, which `starspiel replay STORE` lists."
            )
        _list_games(store)
        return
    if html is not None and (boards or as_json):
        raise StarspielError("--html writes a page instead: leave --boards and --json out.")
    if html is None and reference is not None:
        raise StarspielError("--reference judges the moves on a page: give --html, too.")
    with Store(store, read_only=True) as opened:
        game = opened.game(game_id)
        stored = opened.row(game_id).json
    if html is not None:
        check_output("the page", html, files_of_store(store))
        made = resolve("starspiel.evaluation.review:review")
        with stdout_kept_clean(), Display(PlainConsole(stderr=True), "creating the agents") as display:
            reviewed = made(game, reference=reference, trust=trust, on_event=display.show_judged)
        resolve("starspiel.evaluation.review:write_review")(reviewed, html, store)
        show(Text(f"the game is in {html}"))
        return
    walked = events(game, trust=trust)
    if as_json:
        show_json({**json.loads(stored), "names": [event.name for event in walked]})
        return
    seats = ", ".join(f"player {seat} {name}" for seat, name in enumerate(game.names))
    unit = units(len(game.names)).removesuffix("s")
    title = f"{game.game}, game {game.id}: {seats}; {unit} {game.number}, seed {game.seed}"
    show(Text(title, style="bold"))
    if not game.record.actions:  # An agent forfeited by the first move.
        show(Text(ending(game, outlook(load_game(game.game)))))
        return
    if boards:
        for event in walked:
            _show_events([event], game)
            show(Group(Board(event.after), ""))
    else:
        listed = list(walked)
        _show_events(listed, game)
        event = listed[-1]
    told = outlook(game_of(event.after))
    show(Text(ending(game, told)))
    if not (told.is_chance or told.is_score or game.record.fault):
        show(Text(f"Returns: {', '.join(f'{value:g}' for value in game.record.returns)}."))


def _list_games(store: Path) -> None:
    """Lists the first games of a store: id, players, result and number of events."""
    with Store(store, read_only=True) as opened:
        first = list(islice(opened.games(), _LISTED + 1))
    if not first:
        show(Text("There are no games yet."))
        return
    shown = first[:_LISTED]
    several = len({game.game for game in shown}) > 1
    points = {game.game: points_of(game.game) for game in shown}
    unit = {units(len(game.names)).removesuffix("s") for game in shown}
    paid = "points" if all(points.values()) else "result" if any(points.values()) else "returns"
    table = table_of(
        "id",
        *(["game"] if several else []),
        "players",
        right=(unit.pop() if len(unit) == 1 else "number", paid, "events"),
    )
    for game in shown:
        returns = ", ".join(f"{value * (points[game.game] or 1):g}" for value in game.record.returns)
        table.add_row(
            game.id,
            *([Text(game.game)] if several else []),
            Text(", ".join(game.names)),
            str(game.number),
            "forfeit" if game.record.fault else returns,
            str(len(game.record.actions)),
        )
    show(table)
    if len(first) > _LISTED:
        show(Text(f"These are the first {_LISTED}; `starspiel export` lists all."))


def _who(event: Event, game: StoredGame) -> str:
    if event.number < len(game.start):
        return "start position"
    return "chance" if event.player == CHANCE else f"{event.player} {game.names[event.player]}"


def _show_events(shown: list[Event], game: StoredGame) -> None:
    told = usual_outlook(game_of(shown[0].after))
    table = table_of("#", "player", "move", right=("action", told.word, "nodes", "ms"))
    table.columns[0].justify = "right"
    for event in shown:
        table.add_row(
            str(event.number),
            _who(event, game),
            event.name,
            str(event.action),
            "" if event.value is None else told.text(event.value, event.player),
            "" if event.nodes is None else f"{event.nodes:,}",
            "" if event.seconds is None else f"{1000 * event.seconds:.3g}",
            style="dim" if event.player == CHANCE else None,
        )
    show(table)
