"""`starspiel play`: a person against an agent, in the terminal or on a page."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.columns import Columns
from rich.text import Text

from starspiel.agents.book import Searcher
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.roster import make_bot
from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.output import Board
from starspiel.cli.sitting import NOBODY, Sitting
from starspiel.envs.base import CHANCE
from starspiel.envs.boards import side_of
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.console import PlainConsole

_HELP = """\
a number or a name   play that move
m                    list the moves again
h                    hint: what the hint's agent would play, and the value of every move
u                    undo, back to your last decision (thrown dice fall the same way again)
b                    draw the board again
q                    quit; the game is saved, and taken up again with --resume
?                    this list"""


def play(
    game: str | None = None,
    /,
    *,
    opponent: str | None = None,
    seat: int | None = None,
    seed: int | None = None,
    hint: str | None = None,
    save: Path | None = None,
    resume: Path | None = None,
    web: Annotated[bool, Parameter(negative="")] = False,
    port: int = 0,
) -> int:
    """Play a game against an agent, in the terminal or in a browser.

    Answer with the number or the name of a move; h gives a hint, u undoes, q quits and saves, ? lists all.
    The same seed throws the same dice.

    For example:

        starspiel play backgammon
        starspiel play cant_stop --opponent "star2(depth=3)" --seat 1 --seed 7
        starspiel play royal_game_of_ur --opponent human
        starspiel play --resume pig.play.json
        starspiel play backgammon --web

    Parameters
    ----------
    game
        A game string (see `starspiel games`), or module:Rules for one of your own. Not needed with --resume.
    opponent
        The agent in the other seat, star2(depth=2) unless named, or star2ss(depth=2) where chances can only
        be drawn; see `starspiel agents`. "human": people in both seats.
    seat
        Yours: 0, unless named, moves first, 1 second.
    seed
        Of the dice and the opponent; 1 unless named. An environment whose chances can only be drawn is reset
        with it.
    hint
        The search agent that gives hints; as the opponent unless named.
    save
        Where an unfinished game is saved on leaving, a file that does not exist yet; without,
        GAME.play.json in this directory.
    resume
        A saved game to go on with, and to save again on leaving.
    web
        Play on a page: its address is printed. It is served to this machine alone, under a random token.
    port
        Of that page; 0 takes one that is free.
    """
    if (game is None) == (resume is None):
        raise StarspielError("name a game to play, or --resume a saved one, and not both.")
    if resume is not None:
        if any(option is not None for option in (opponent, seat, seed)):
            raise StarspielError("--opponent, --seat and --seed are those of the saved game; leave them out.")
        sitting = Sitting.load(resume)
    else:
        assert game is not None
        sitting = Sitting(game, opponent, seat or 0, 1 if seed is None else seed)
    if sitting.game.num_players == 1 and opponent not in (None, NOBODY):
        raise StarspielError(f"{sitting.game.name} is for one player: leave --opponent out.")
    hint = hint or usual_search(sitting.game)
    hinter = make_bot(hint, sitting.game, sitting.seat, sitting.seed_for("hint"))
    if not isinstance(hinter, Searcher):
        raise StarspielError(
            f"--hint must be a search agent such as {usual_search(sitting.game)}, got {hint!r}."
        )
    save_to = _writable(save or resume or _unused(sitting.game.name), resume)
    if web:
        return _serve(sitting, hinter, save_to, port)
    if port:
        raise StarspielError("--port is for --web.")
    return _Table(sitting, hinter, save_to).run()


def _serve(sitting: Sitting, hinter: Searcher, save_to: Path, port: int) -> int:
    """The page, until Ctrl-C."""
    from starspiel.cli.web import WebServer, WebTable

    table = WebTable(sitting, hinter)
    with WebServer(table, port) as server:
        print(f"play at {server.address}", flush=True)
        print("Whoever knows this address plays. Ctrl-C ends the game and saves it.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
        finally:
            if table.sitting.begun and not table.sitting.over:
                print(_saved(table.sitting, save_to), flush=True)
    return OK


class _Table:
    """The person's side of a sitting: shows, asks, and answers commands."""

    def __init__(self, sitting: Sitting, hinter: Searcher, save_to: Path) -> None:
        self._sitting = sitting
        self._hinter = hinter
        self._save_to = save_to
        self._console = PlainConsole()
        self._commands: dict[str, Callable[[], None]] = {
            "m": self._show_moves,
            "h": self._give_hint,
            "u": self._undo,
            "b": self._show_board,
            "?": lambda: self._say(_HELP),
        }

    def run(self) -> int:
        sitting = self._sitting
        against = ""
        if sitting.game.num_players == 2:
            people = sitting.opponent == NOBODY
            against = ", people in both seats" if people else f", against {sitting.opponent}"
        self._say(f"{sitting.game.name}{against}, seed {sitting.seed}. ? for help.")
        for seat in range(sitting.game.num_players):
            if side := side_of(sitting.game, seat):
                you = "you are" if seat == sitting.seat and sitting.opponent != NOBODY else "player"
                self._say(f"{you} {seat}: {side}." if you == "player" else f"{you} player {seat}: {side}.")
        try:
            self._play()
        except EOFError:
            self._say("")
            return OK
        except KeyboardInterrupt:
            self._say("")
            return INTERRUPTED
        finally:  # whatever the opponent, the game or the hint's agent may raise
            self._leave()
        return OK

    def _play(self) -> None:
        sitting = self._sitting
        while not sitting.over:
            if sitting.persons_turn:
                self._show_board()
                self._show_moves()
                self._decide()
            else:
                with self._thinking():
                    player, name = sitting.event()
                who = "dice" if player == CHANCE else f"player {player} ({sitting.opponent})"
                self._say(f"{who}: {name}", "cyan" if player == CHANCE else "bold magenta")
        self._show_board()
        self._say(sitting.verdict(), "bold")

    def _thinking(self) -> AbstractContextManager[object]:
        """A sign of life on a terminal while the agent thinks."""
        if self._console.is_terminal and not self._sitting.state.is_chance_node():
            return self._console.status(f"{self._sitting.opponent} thinks")
        return nullcontext()

    def _decide(self) -> None:
        """Ask until a move is made or undone."""
        decisions = len(self._sitting.history)
        while len(self._sitting.history) == decisions:
            answer = input(f"player {self._sitting.state.current_player()}> ").strip()
            if answer.lower() in ("q", "quit", "exit"):
                raise EOFError
            command = self._commands.get(answer.lower())
            if command is not None:
                command()
                if command == self._undo:
                    return
                continue
            if answer:
                try:
                    meant = self._sitting.meant(answer)
                except StarspielError as error:
                    self._say(str(error), "yellow")
                    continue
                for action in meant:
                    self._sitting.move(action)

    def _undo(self) -> None:
        try:
            if not self._sitting.undo():
                self._say("nothing to undo.", "yellow")
        except StarspielError as error:
            self._say(str(error), "yellow")

    def _give_hint(self) -> None:
        result = self._sitting.hint(self._hinter)
        self._console.print(result)
        self._say(f"would play {result.best_action} {result.names[result.best_action]}")
        if self._sitting.state.current_player() == 1:
            self._say("Values are player 0's: as player 1 you want them low.")

    def _show_board(self) -> None:
        self._say("")
        self._console.print(Board(self._sitting.state, self._sitting.viewer), soft_wrap=True)

    def _show_moves(self) -> None:
        numbered = [Text(f"{i:>3} {play.name}") for i, play in enumerate(self._sitting.plays(), start=1)]
        self._console.print(Columns(numbered, padding=(0, 3)))

    def _leave(self) -> None:
        if self._sitting.begun and not self._sitting.over:
            self._say(_saved(self._sitting, self._save_to))

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)


def _saved(sitting: Sitting, path: Path) -> str:
    """Saves the game where that can be done; what there is to say of it."""
    if not sitting.repeatable:
        return f"not saved: the dice of {sitting.game.name} do not follow from a seed, so nobody could go on."
    sitting.save(path)
    return f"saved; go on with: starspiel play --resume {path}"


def _writable(path: Path, resumed: Path | None) -> Path:
    """`path`, where a game can be saved without losing what is there already."""
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
    """`GAME.play.json` in this directory, numbered where there is one already."""
    short = game.partition("(")[0].rpartition(":")[2].replace("/", "_")
    path, number = Path(f"{short}.play.json"), 2
    while path.exists():
        path, number = Path(f"{short}.{number}.play.json"), number + 1
    return path
