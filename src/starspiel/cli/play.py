"""`starspiel play`: a person against an agent, in the terminal."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from rich.columns import Columns
from rich.text import Text

from starspiel.agents.bots import SearchBot
from starspiel.agents.roster import make_bot
from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.output import Board
from starspiel.cli.sitting import NOBODY, Sitting
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.report.plain import PlainConsole

DEFAULT_OPPONENT = "star2(depth=2)"

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
    hint: str = DEFAULT_OPPONENT,
    save: Path | None = None,
    resume: Path | None = None,
) -> int:
    """Play a game against an agent in the terminal.

    Answer with the number or the name of a move; h gives a hint, u undoes, q quits and saves, ? lists all.
    The same seed throws the same dice.

    For example:

        starspiel play backgammon
        starspiel play cant_stop --opponent "star2(depth=3)" --seat 1 --seed 7
        starspiel play royal_game_of_ur --opponent human
        starspiel play --resume pig.play.json

    Parameters
    ----------
    game
        A game string (see `starspiel games`), or module:Rules for one of your own. Not needed with --resume.
    opponent
        The agent in the other seat, star2(depth=2) unless named; see `starspiel agents`. "human": people in
        both seats.
    seat
        Yours: 0, unless named, moves first, 1 second.
    seed
        Of the dice and the opponent; 1 unless named.
    hint
        The search agent that gives hints.
    save
        Where an unfinished game is saved on leaving, a file that does not exist yet; without,
        GAME.play.json in this directory.
    resume
        A saved game to go on with, and to save again on leaving.
    """
    if (game is None) == (resume is None):
        raise StarspielError("name a game to play, or --resume a saved one, and not both.")
    if resume is not None:
        if any(option is not None for option in (opponent, seat, seed)):
            raise StarspielError("--opponent, --seat and --seed are those of the saved game; leave them out.")
        sitting = Sitting.load(resume)
    else:
        assert game is not None
        sitting = Sitting(game, opponent or DEFAULT_OPPONENT, seat or 0, 1 if seed is None else seed)
    if sitting.game.num_players == 1 and opponent not in (None, NOBODY):
        raise StarspielError(f"{sitting.game.name} is for one player: leave --opponent out.")
    hinter = make_bot(hint, sitting.game, sitting.seat, sitting.seed)
    if not isinstance(hinter, SearchBot):
        raise StarspielError(f"--hint must be a search agent such as star2(depth=2), got {hint!r}.")
    return _Table(sitting, hinter, _writable(save or resume or _unused(sitting.game.name), resume)).run()


class _Table:
    """The person's side of a sitting: shows, asks, and answers commands."""

    def __init__(self, sitting: Sitting, hinter: SearchBot, save_to: Path) -> None:
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
        self._say(_verdict(sitting), "bold")

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
            action = self._move_named(answer)
            if action is not None:
                self._sitting.move(action)

    def _move_named(self, answer: str) -> int | None:
        """The action meant by a number of the list or by a name; None, and why, where there is none."""
        legal = self._sitting.legal()
        actions = list(legal)
        if answer.isdecimal() and 1 <= int(answer) <= len(actions):
            return actions[int(answer) - 1]
        matches = [a for a, name in legal.items() if name.lower() == answer.lower()]
        if len(matches) == 1:
            return matches[0]
        if answer:
            near = "" if answer.isdecimal() or len(legal) > 30 else did_you_mean(answer, legal.values())
            self._say(f"no move {answer!r}: answer with 1 to {len(actions)}, or ? for help.{near}", "yellow")
        return None

    def _undo(self) -> None:
        if not self._sitting.undo():
            self._say("nothing to undo.", "yellow")

    def _give_hint(self) -> None:
        result = self._hinter.search(self._sitting.state, explain=True, exact_action_values=True)
        number = {action: i for i, action in enumerate(self._sitting.legal(), start=1)}
        # The table's actions by the numbers of the menu.
        shown = replace(
            result,
            action_values={number[action]: value for action, value in result.action_values.items()},
            best_actions=tuple(number[action] for action in result.best_actions),
            names={number[action]: name for action, name in result.names.items()},
        )
        self._console.print(shown)
        best = result.best_action
        self._say(f"would play {number[best]} {self._sitting.legal()[best]}")
        if self._sitting.state.current_player() == 1:
            self._say("Values are player 0's: as player 1 you want them low.")

    def _show_board(self) -> None:
        self._say("")
        self._console.print(Board(self._sitting.state), soft_wrap=True)

    def _show_moves(self) -> None:
        legal = self._sitting.legal()
        numbered = [Text(f"{i:>3} {name}") for i, name in enumerate(legal.values(), start=1)]
        self._console.print(Columns(numbered, padding=(0, 3)))

    def _leave(self) -> None:
        if self._sitting.begun and not self._sitting.over:
            self._sitting.save(self._save_to)
            self._say(f"saved; go on with: starspiel play --resume {self._save_to}")

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)


def _verdict(sitting: Sitting) -> str:
    returns = list(sitting.state.returns())
    if sitting.game.num_players == 1:
        return f"over: return {returns[0]:g}."
    if returns[0] == returns[1]:
        return "a draw."
    winner = 0 if returns[0] > returns[1] else 1
    if sitting.opponent == NOBODY:
        return f"player {winner} wins (returns {returns[0]:g}, {returns[1]:g})."
    return f"you {'win' if winner == sitting.seat else 'lose'} (return {returns[sitting.seat]:g})."


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
