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

    Answer with the number or the name of a move; h gives a hint, u undoes, q quits and saves, ? lists all.
    The same seed gives the same dice.

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
        opponent: The agent in all other seats; repeat it to name one for each, in seat order. Defaults to
            star2(depth=2), to star2ss(depth=2) if chance outcomes are sampled, and to MCTS if the game has no
            heuristic or network; in small games with simultaneous moves, to star2(nodes=20000).
            See `starspiel agents`. "human" is another person.
        seat: Your seat, counted from 0, who moves first in most games; in chess player 1 does. Defaults to 0.
        seed: Seed of the dice and the opponents; defaults to 1. An environment whose chance outcomes are
            sampled is reset with it.
        hint: The search agent that gives hints; defaults to the default opponent.
        save: File for an unfinished game, which must not exist yet; defaults to GAME.play.json in the current
            directory.
        resume: A saved game to resume, and to save again.
        web: Play on a web page, whose address is printed. It is served only to this machine, under a random
            token.
        port: Port of that page; 0 picks a free one.
    """
    if (game is None) == (resume is None):
        raise StarspielError("name a game to play, or --resume a saved one, and not both.")
    if resume is not None and any(option is not None for option in (opponent, seat, seed)):
        raise StarspielError("--opponent, --seat and --seed are those of the saved game; leave them out.")
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
    finally:  # whatever the opponent, the game or the hint's agent may raise
        if session.unfinished:
            terminal.say(_saved(session, save_to))


def _serve(session: Session, port: int) -> int:
    """The page, until Ctrl-C."""
    from starspiel.cli.web import WebServer
    from starspiel.cli.web_table import WebTable

    with WebServer(WebTable(session), port) as server:
        print(f"play at {server.address}", flush=True)
        print("Whoever knows this address plays. Ctrl-C ends the game and saves it.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return OK


def _saved(session: Session, path: Path) -> str:
    """Saves the game if possible, and tells where."""
    if not session.repeatable:
        return f"not saved: the dice of {session.game.name} do not follow from a seed."
    session.save(path)
    return f"saved; resume with: starspiel play --resume {path}"


def _writable(path: Path, resumed: Path | None) -> Path:
    """`path`, if a game can be saved there without losing what is there already."""
    if path.is_dir() or not path.name:
        raise StarspielError(f"cannot save to {str(path)!r}: that is a folder.")
    if path.exists() and (resumed is None or not path.samefile(resumed)):
        raise StarspielError(f"cannot save to {path}: it exists already. Name another file, or --resume it.")
    if not path.parent.is_dir():
        raise StarspielError(f"cannot save to {path}: there is no folder {path.parent}.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise StarspielError(f"cannot save to {path}: it is not writable; name another file with --save.")
    return path


def _unused(game: str) -> Path:
    """`GAME.play.json` in this directory, numbered if there is one already."""
    short = game.partition("(")[0].rpartition(":")[2].replace("/", "_")
    path, number = Path(f"{short}.play.json"), 2
    while path.exists():
        path, number = Path(f"{short}.{number}.play.json"), number + 1
    return path
