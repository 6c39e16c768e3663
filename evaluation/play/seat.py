"""Provides `Seat`, which asks and informs a bot in one game, and measures the costs of its moves."""

from array import array
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from math import inf, nan
from operator import index
from time import perf_counter, process_time
from typing import Any, Protocol

import pyspiel

from starspiel.agents.bot import hears_joint_moves, listens
from starspiel.envs.base import actions_of
from starspiel.envs.errors import RulesError
from starspiel.evaluation.play.faults import FaultError, fault_of, illegal
from starspiel.evaluation.play.record import Moves

#: The largest numbers that a record can hold: a game's nodes have 63 bits, and values single precision.
_MOST_NODES, _GREATEST_VALUE = 2**45, 1e38


class Player(Protocol):
    """The interface that a match needs of a bot; every `pyspiel.Bot` has it.

    If the bot has `last_nodes`, it is recorded, with the value of `last_result`; either may be None.
    """

    def step(self, state: Any) -> int:
        """Returns the action to play at a decision node, or at a node where all players move at once."""


#: The agent of a seat that belongs to no agent.
NOBODY = -1


class Seat:
    """A bot at a seat. Any error in the bot is raised as a `FaultError` of the seat.

    A bot that is neither ours nor OpenSpiel's gets copies of the state.

    Attributes:
        agent: the index of its agent in the field.
        listens: whether the bot wants to be informed of other players' moves and of chance outcomes.
        hears_joint_moves: whether it wants to be informed of the moves that all players make at once.
    """

    def __init__(self, number: int, bot: Player, clock: float = inf, agent: int = NOBODY) -> None:
        self.number = number
        self.agent = agent
        self.bot: Any = bot
        self._clock = clock
        self._seconds, self._nodes, self._values = array("f"), array("q"), array("f")
        self._wall_overruns = 0
        try:
            if not callable(getattr(bot, "step", None)):
                raise TypeError(f"{bot!r} has no step(state) and is not a bot")
            self._ours = _is_ours(type(bot))
            self._counts = hasattr(bot, "last_nodes")
            self.listens = listens(bot)
            self.hears_joint_moves = hears_joint_moves(bot)
            self._cpu_seconds: Callable[[], float] = getattr(bot, "cpu_seconds", process_time)
            careful = (lambda call: call) if self._ours else _shown_a_copy
            self._step: Callable[[Any], int] = careful(bot.step)
            if self.listens:
                self._inform = careful(bot.inform_action)  # type: ignore[attr-defined]
            if self.hears_joint_moves:
                self._inform_of_all = careful(bot.inform_actions)  # type: ignore[attr-defined]
        except BaseException as error:
            raise FaultError(fault_of(number, error)) from error

    def move(self, state: Any) -> int:
        """Returns the bot's action, and records its cost and what the bot reports of it.

        Raises FaultError if the action is illegal or the bot raises an error.
        """
        wall, before = perf_counter(), self._cpu_seconds()
        try:
            action = int(index(self._step(state)))
        except BaseException as error:
            if isinstance(error, RulesError):  # the rules contradict themselves, perhaps because of the bot
                if self._ours:
                    raise
                actions_of(state, self.number)  # raises if the rules are at fault in this very position
            raise FaultError(fault_of(self.number, error)) from error
        spent = self._cpu_seconds() - before
        if perf_counter() - wall > self._clock:
            self._wall_overruns += 1
        if self._counts:
            self._note_what_it_says()
        legal = actions_of(state, self.number)
        if action not in legal:
            raise FaultError(illegal(self.number, action, list(legal)))
        self._seconds.append(spent)
        return action

    def hear(self, state: Any, player: int, action: int) -> None:
        """Informs the bot that `player`, or chance, is about to play `action` at `state`."""
        try:
            self._inform(state, player, action)
        except BaseException as error:
            raise FaultError(fault_of(self.number, error)) from error

    def hear_all(self, state: Any, actions: Sequence[int]) -> None:
        """Informs the bot of the actions that all players are about to play at once at `state`, by player."""
        try:
            self._inform_of_all(state, list(actions))
        except BaseException as error:
            raise FaultError(fault_of(self.number, error)) from error

    @property
    def moves(self) -> Moves:
        """The costs and values of its moves so far."""
        made = len(self._seconds)
        overruns = 0 if self._clock == inf else sum(seconds > self._clock for seconds in self._seconds)
        # Leaves out the nodes and value that were reported for an illegal move.
        return Moves(self._seconds, self._nodes[:made], self._values[:made], overruns, self._wall_overruns)

    def _note_what_it_says(self) -> None:
        try:
            said = self.bot.last_nodes
            if said is None:  # then it reports nothing in this game
                self._counts = False
                return
            found = getattr(self.bot, "last_result", None)
            nodes, value = index(said), nan if found is None else float(found.value)
            if not 0 <= nodes <= _MOST_NODES:
                raise ValueError(f"expected 0 to {_MOST_NODES:,} nodes, got {nodes:,}")
            if abs(value) > _GREATEST_VALUE:
                raise ValueError(f"expected a finite value, got {value:g}")
        except BaseException as error:
            raise FaultError(fault_of(self.number, error, " in last_nodes or last_result")) from error
        self._nodes.append(nodes)
        self._values.append(value)


def seated(bots: Sequence[Player], clock: float = inf) -> list[Seat]:
    """Returns the seats of a game outside a tournament; moves of more than `clock` seconds are overruns."""
    return [Seat(number, bot, clock, agent=number) for number, bot in enumerate(bots)]


@lru_cache(maxsize=256)
def _is_ours(kind: type) -> bool:
    """Returns whether a class is ours or OpenSpiel's, whose bots never change a state that they are shown."""
    return kind.__module__.partition(".")[0] in ("starspiel", "pyspiel")


def _shown_a_copy(call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function like `call` that passes a copy of the state, its first argument."""

    def shown(state: Any, *more: Any) -> Any:
        return call(state.clone() if isinstance(state, pyspiel.State) else copy(state), *more)

    return shown
