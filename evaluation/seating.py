"""Describes where agents sit: their processes and limits, and which agent is being asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import Structure, c_int64
from typing import Any, NamedTuple

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.registry import EXTRAS, extra
from starspiel.envs.modules import is_installed
from starspiel.evaluation.play.seat import NOBODY


class Board(Structure):
    """The state of a referee in shared memory, which its parent process reads if the referee dies.

    Attributes:
        pairs: how many pairs of its task the referee has begun.
        game: the index of the current game in its pair.
        asked: the agent whose own process is being asked, or NOBODY.
    """

    _fields_ = (("pairs", c_int64), ("game", c_int64), ("asked", c_int64))
    pairs: int
    game: int
    asked: int

    def begin(self, pairs: int) -> None:
        """Notes that the `pairs`-th pair of the task begins; 0 notes that the task itself begins."""
        self.pairs, self.game, self.asked = pairs, 0, NOBODY


class Seating(NamedTuple):
    """Where agents sit, and their limits.

    Attributes:
        limits: how much time and memory each may use before it loses the game.
        apart: whether our own and OpenSpiel's agents, too, play in separate processes.
        board: where this process notes which agent is asked; None if no parent process reads it.
    """

    limits: HardLimits = HardLimits()
    apart: bool = False
    board: Board | None = None

    @contextmanager
    def asking(self, agent: int) -> Iterator[None]:
        """A context in which the board notes that this agent's own process is being asked."""
        board = self.board or Board()
        board.asked = agent
        try:
            yield
        finally:
            board.asked = NOBODY

    def watch(self, bot: Any, agent: int) -> None:
        """Wraps the bot's `step`, so that the board notes the agent during every move."""
        if self.board is not None:
            bot.step = self.asking(agent)(bot.step)


def end_idle_engines() -> None:
    """Ends idle processes of agents, if the module that runs them is installed."""
    if is_installed(EXTRAS[name := "end of idle engines"]):
        extra(name)()
