"""The user interface of a session in the terminal: shows the board, asks for moves and runs commands."""

from collections.abc import Callable
from contextlib import nullcontext

from rich.columns import Columns
from rich.text import Text

from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.arrow_keys import take_arrows
from starspiel.cli.output import Board
from starspiel.cli.seating import PEOPLE
from starspiel.cli.session import Session
from starspiel.envs.base import CHANCE
from starspiel.envs.boards import side_of
from starspiel.envs.errors import StarspielError
from starspiel.envs.plays import direction
from starspiel.evaluation.console import PlainConsole

#: How many moves a long list shows, and by how many more a list may exceed that and still be shown in full.
_MOST_MOVES, _FOLDED = 40, 8

_HELP = """\
a number or a name   play that move
an arrow key         move in that direction, if moves are directions
m                    list all moves
h                    hint: what the hint's agent would play, and the value of each move
u                    undo, back to your last decision (the dice will fall the same way again)
b                    draw the board again
q                    save the game and quit; continue it with --resume
?                    show this list"""


class Terminal:
    """The user interface of a session in the terminal."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._console = PlainConsole()
        self._commands: dict[str, Callable[[], None]] = {
            "m": lambda: self._show_moves(most=None),
            "h": self._hint,
            "u": session.undo,
            "b": self._show_board,
            "?": lambda: self.say(_HELP),
        }

    def run(self) -> int:
        """Plays until the game ends or the person leaves; returns the exit code."""
        self._greet()
        try:
            self._play()
        except EOFError:
            self.say("")
        except KeyboardInterrupt:
            self.say("")
            return INTERRUPTED
        return OK

    def say(self, text: str, style: str = "") -> None:
        """Prints a line."""
        self._console.print(Text(text, style), soft_wrap=True)

    def _greet(self) -> None:
        session = self._session
        game, others = session.game, [spec for spec in dict.fromkeys(session.seats) if spec != PEOPLE]
        against = f", against {' and '.join(others)}" if others else ""
        if game.num_players > 1 and not others:
            against = f", people in {'both' if game.num_players == 2 else 'all'} seats"
        self.say(f"{game.name}{against}, seed {session.seed}. ? for help.")
        if session.note:
            self.say(f"note: {session.note}", "yellow")
        for seat in range(game.num_players):
            side = side_of(game, seat)
            you = "you are " if seat == session.seat and session.people == 1 else ""
            if side or (you and game.num_players > 2):
                self.say(f"{you}player {seat}{': ' if side else ''}{side}.")
        first = session.states[0].current_player()
        if first > 0 and "moves first" not in (side_of(game, first) or ""):
            self.say(f"player {first} moves first.")

    def _play(self) -> None:
        session = self._session
        while not session.over:
            if session.persons_turn:
                self._show_board()
                self._show_moves()
                self._decide()
                continue
            agent = session.thinking
            thinks = self._console.is_terminal and agent
            with self._console.status(f"{agent} thinks") if thinks else nullcontext():
                happened = session.event()
            for player, name in happened:
                chance = "dice" if "rolled " in name else "chance"
                who = chance if player == CHANCE else f"player {player} ({session.called(player)})"
                self.say(f"{who}: {name}", "cyan" if player == CHANCE else "bold magenta")
        self._show_board()
        self.say(session.verdict(), "bold")

    def _decide(self) -> None:
        """Asks until the position has changed."""
        session = self._session
        version = session.version
        take_arrows({direction(play.name) for play in session.plays()} - {""})
        while session.version == version:
            who = "your move" if session.people == 1 else f"player {session.viewer(session.state)}"
            answer = input(f"{who}> ").strip()
            if answer.lower() in ("q", "quit", "exit"):
                raise EOFError
            try:
                if command := self._commands.get(answer.lower()):
                    command()
                elif answer:
                    session.move(answer)
            except StarspielError as error:
                self.say(str(error), "yellow")

    def _hint(self) -> None:
        result = self._session.hint()
        self._console.print(*result.tables(), sep="\n")
        if len(result.line) > 1:
            self.say("line: " + "  ".join(result.line))
        for note in result.notes:
            self.say(f"note: {note}", "yellow")
        who = f"{result.algorithm}, depth {result.depth}," if result.depth else result.algorithm
        word = "value" if result.outlook is None else result.outlook.word
        best = f"{result.best_action} {result.names[result.best_action]}"
        self.say(f"{who} would play {best}: {word} {result.told(result.value)}", "bold")

    def _show_board(self) -> None:
        state = self._session.state
        self.say("")
        self._console.print(Board(state, self._session.viewer(state)), soft_wrap=True)

    def _show_moves(self, most: int | None = _MOST_MOVES) -> None:
        """Lists the moves; shows only the first `most` of a long list."""
        offered = self._session.plays()
        shown = offered if most is None or len(offered) <= most + _FOLDED else offered[:most]
        numbered = [Text(f"{i:>3} {play.name}") for i, play in enumerate(shown, start=1)]
        self._console.print(Columns(numbered, padding=(0, 3)))
        if len(shown) < len(offered):
            self.say(f"and {len(offered) - len(shown)} more moves: m lists all of them.")
