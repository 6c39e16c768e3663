"""`starspiel play`: people against agents, in the terminal or on a page."""

import os
from pathlib import Path

from starspiel.cli.app import OK
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.progress import starting_shown
from starspiel.cli.session import Session
from starspiel.cli.terminal import Terminal
from starspiel.envs.errors import StarspielError
from starspiel.envs.named import names_module
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.default_field import warn_of_endless


def play(
    game: GameName | None = None,
    /,
    *,
    opponent: list[AgentName] | None = None,
    seat: int | None = None,
    seed: int | None = None,
    hint: AgentName | None = None,
    save: Path | None = None,
    resume: Path | None = None,
    web: bool = False,
    port: int = 0,
) -> int:
    """Play a game against agents, in the terminal or in a browser.

    Enter the number or the name of a move. h gives a hint, u takes back your last move, q saves and quits,
    and ? lists all commands. The same seed gives the same dice.

    For example:

        starspiel play backgammon
        starspiel play cant_stop --opponent "star2(depth=3)" --seat 1 --seed 7
        starspiel play royal_game_of_ur --opponent human
        starspiel play "pig(players=3)" --opponent random --opponent greedy
        starspiel play "maedn(players=4)" --seat 2 --web
        starspiel play --resume pig.play.json
        starspiel play backgammon --web

    Args:
        game: A game string (see `starspiel games`), or module:Rules for your own. Not needed with --resume.
        opponent: The agent in all other seats (see `starspiel agents`), or "human" for another person. Repeat
            the flag to name one agent per seat, in seat order. Defaults to star2(depth=2), to
            star2ss(depth=2) if chance outcomes are sampled, and to MCTS if the game has no heuristic or
            network; in small games with simultaneous moves, to star2(nodes=20000).
        seat: Your seat, counted from 0. Seat 0 moves first in most games, but in chess seat 1 does. Defaults
            to 0.
        seed: Seed of the dice and the opponents. An environment whose chance outcomes are sampled is reset
            with it. Defaults to 1.
        hint: The search agent that gives hints. Defaults to the default opponent.
        save: File to save an unfinished game to; it must not exist yet. Defaults to GAME.play.json in the
            current directory.
        resume: A saved game to resume. If you quit again, it is saved to the same file.
        web: Play on a web page and print its address. The page is served only to this machine, under a random
            token.
        port: Port of that page; 0 picks a free one.
    """
    if (game is None) == (resume is None):
        raise StarspielError("name a game to play or --resume a saved one, not both.")
    if resume is not None and any(option is not None for option in (opponent, seat, seed)):
        raise StarspielError("--opponent, --seat and --seed come from the saved game; leave them out.")
    with starting_shown(PlainConsole(stderr=True)):
        if resume is not None:
            session = Session.load(resume, hint)
        else:
            session = Session(str(game), opponent, seat or 0, 1 if seed is None else seed, hint=hint)
    save_to = _writable(save or resume or _unused(session.game.name), resume)
    if port and not web:
        raise StarspielError("--port is for --web.")
    if names_module(session.game.name):
        warn_of_endless(session.game)
    terminal = Terminal(session)
    try:
        return _serve(session, port) if web else terminal.run()
    finally:  # even if the opponent, the game or the hint's agent raises
        if session.unfinished:
            terminal.say(_saved(session, save_to))


def _serve(session: Session, port: int) -> int:
    """Serves the page until Ctrl-C; returns the exit code."""
    from starspiel.cli.web import WebServer
    from starspiel.cli.web_table import WebTable

    with WebServer(WebTable(session), port) as server:
        print(f"play at {server.address}", flush=True)
        print("Anyone who knows this address can play. Ctrl-C saves the game and quits.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return OK


def _saved(session: Session, path: Path) -> str:
    """Saves the game if possible; returns a sentence that says where, or why not."""
    if not session.repeatable:
        return f"not saved: the dice of {session.game.name} do not follow from a seed."
    session.save(path)
    return f"saved; resume with: starspiel play --resume {path}"


def _writable(path: Path, resumed: Path | None) -> Path:
    """Returns `path` if a game can be saved there without overwriting anything but the resumed game.

    Raises StarspielError otherwise.
    """
    if path.is_dir() or not path.name:
        raise StarspielError(f"cannot save to {str(path)!r}: that is a folder.")
    if path.exists() and (resumed is None or not path.samefile(resumed)):
        raise StarspielError(f"cannot save to {path}: it already exists. Name another file, or --resume it.")
    if not path.parent.is_dir():
        raise StarspielError(f"cannot save to {path}: there is no folder {path.parent}.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise StarspielError(f"cannot save to {path}: it is not writable; name another file with --save.")
    return path


def _unused(game: str) -> Path:
    """Returns `GAME.play.json` in the current directory, numbered if it exists already."""
    short = game.partition("(")[0].rpartition(":")[2].replace("/", "_")
    path, number = Path(f"{short}.play.json"), 2
    while path.exists():
        path, number = Path(f"{short}.{number}.play.json"), number + 1
    return path
