"""Where the agents of a tournament sit, and who is asked while a game is played."""

from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.registry import EXTRAS, extra
from starspiel.envs.modules import is_installed
from starspiel.evaluation.play.seat import NOBODY


class Board:
    """What a referee notes for the process above it, which reads it when the referee has died.

    Args:
        numbers: three whole numbers in memory that both processes share.

    Attributes:
        pairs: how many pairs of its task the referee has begun.
        game: the place of the game under way in its pair.
        asked: the agent whose own process is asked, or NOBODY.
    """

    def __init__(self, numbers: MutableSequence[int]) -> None:
        self._numbers = numbers
        self.begin_task()

    @property
    def pairs(self) -> int:
        return self._numbers[0]

    @property
    def game(self) -> int:
        return self._numbers[1]

    @property
    def asked(self) -> int:
        return self._numbers[2]

    def begin_task(self) -> None:
        self._numbers[:] = [0, 0, NOBODY]

    def begin_pair(self) -> None:
        self._numbers[:] = [self.pairs + 1, 0, NOBODY]

    def begin_game(self, place: int) -> None:
        self._numbers[1] = place

    def ask(self, agent: int) -> None:
        self._numbers[2] = agent


class Seating(NamedTuple):
    """Where agents sit.

    Attributes:
        limits: what each may use before it has lost the game.
        apart: whether ours and OpenSpiel's sit in processes of their own, too.
        board: where this process notes who is asked; None if nobody looks after it.
    """

    limits: HardLimits = HardLimits()
    apart: bool = False
    board: Board | None = None

    @contextmanager
    def asking(self, agent: int) -> Iterator[None]:
        """Within it, what runs is this agent's own process."""
        if self.board is not None:
            self.board.ask(agent)
        try:
            yield
        finally:
            if self.board is not None:
                self.board.ask(NOBODY)

    def watch(self, bot: Any, agent: int) -> None:
        """Has every move of a bot noted on the board."""
        board, step = self.board, bot.step
        if board is None:
            return

        def noted(state: Any) -> int:
            board.ask(agent)
            try:
                action: int = step(state)
                return action
            finally:
                board.ask(NOBODY)

        bot.step = noted


def end_idle_engines() -> None:
    """Ends the agents' own processes that wait for their next game."""
    if is_installed(EXTRAS[name := "end of idle engines"]):
        extra(name)()
