"""Seats of agents: processes and limits, and which agent is thinking."""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import Structure, c_int64
from typing import Any, NamedTuple

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.registry import EXTRAS, extra
from starspiel.envs.modules import is_installed
from starspiel.evaluation.play.seat import NOBODY


class Board(Structure):
    """Notes of a referee in shared memory, which its parent reads if it dies.

    Attributes:
        pairs: how many pairs of its task the referee has begun.
        game: the place of the game under way in its pair.
        asked: the agent whose own process is asked, or NOBODY.
    """

    _fields_ = (("pairs", c_int64), ("game", c_int64), ("asked", c_int64))
    pairs: int
    game: int
    asked: int

    def begin(self, pairs: int) -> None:
        """The last of so many pairs of the task begins; with none, the task itself."""
        self.pairs, self.game, self.asked = pairs, 0, NOBODY


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
        board = self.board or Board()
        board.asked = agent
        try:
            yield
        finally:
            board.asked = NOBODY

    def watch(self, bot: Any, agent: int) -> None:
        """Has every move of a bot noted on the board."""
        if self.board is not None:
            bot.step = self.asking(agent)(bot.step)


def end_idle_engines() -> None:
    """Ends idle processes of agents."""
    if is_installed(EXTRAS[name := "end of idle engines"]):
        extra(name)()
