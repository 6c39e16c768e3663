"""Provides lines of play: simulations that play on from a state, which they leave unchanged. If the game
allows it, a line is played in place, which is cheaper than a new state for every move.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import pyspiel

from starspiel.envs.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    SampledState,
    conforms,
    joint_child,
    joint_moves,
    possible_outcomes,
)
from starspiel.envs.gymnasium.sampled.episode import Episode
from starspiel.envs.gymnasium.sampled.states import EnvState


class Line(Protocol):
    """A line of play.

    Attributes:
        state: the current state; valid until the next move.
        drawn: whether a chance outcome was drawn instead of chosen from a list, so that the same moves may
            lead to another state next time.
    """

    @property
    def state(self) -> Any: ...
    @property
    def drawn(self) -> bool: ...

    def move(self, action: int) -> None:
        """Plays a move, or a listed chance outcome, at `state`."""

    def move_at_once(self, actions: Sequence[int]) -> None:
        """Plays a move of every player at `state`, in which all players move at once."""

    def draw(self) -> None:
        """Draws an outcome at `state`, a chance node whose outcomes are not listed."""

    def fork(self, rng: random.Random) -> "Line":
        """Returns another line from the current state; `rng` seeds its drawn outcomes."""


@contextmanager
def line_from(state: Any, rng: random.Random) -> Iterator[Line]:
    """Yields a line from a state. Its drawn outcomes depend on `rng`; Python's and NumPy's global generators
    are restored afterwards."""
    if isinstance(state, EnvState):
        line = _OfEnvironment(state, rng)
        with line.episode.dice():
            yield line
    else:
        yield _InPlace(state.clone()) if isinstance(state, pyspiel.State) else _OfStates(state, rng)


def play_on(line: Line, rng: random.Random, most: int) -> None:
    """Plays random moves with equal probabilities, and fair dice, to the end or for `most` decisions."""
    while (player := line.state.current_player()) != TERMINAL:
        if player == CHANCE:
            chance(line, rng)
            continue
        if most <= 0:
            return
        most -= 1
        if player == SIMULTANEOUS:
            moves = joint_moves(line.state, len(line.state.returns()))
            line.move_at_once([rng.choice(own) for own in moves])
            continue
        line.move(rng.choice(line.state.legal_actions()))


def chance(line: Line, rng: random.Random) -> int | None:
    """Plays a chance node and returns the outcome; None if its outcomes are not listed."""
    if conforms(line.state, SampledState):
        line.draw()
        return None
    outcomes, chances = zip(*possible_outcomes(line.state), strict=True)
    outcome: int = rng.choices(outcomes, chances)[0]
    line.move(outcome)
    return outcome


class _OfStates:
    """A line in any State, with a new state for every move."""

    def __init__(self, state: Any, rng: random.Random, drawn: bool = False) -> None:
        self.state = state
        self.drawn = drawn
        self._rng = rng

    def move(self, action: int) -> None:
        self.state = self.state.child(action)

    def move_at_once(self, actions: Sequence[int]) -> None:
        self.state = joint_child(self.state, actions)

    def draw(self) -> None:
        self.drawn = True
        self.state = self.state.sample(np.random.default_rng(self._rng.getrandbits(64)))

    def fork(self, rng: random.Random) -> Line:
        return _OfStates(self.state, rng, self.drawn)


class _InPlace:
    """A line in a pyspiel state, which is changed in place; its chance outcomes are listed."""

    drawn = False

    def __init__(self, state: Any) -> None:
        self.state = state
        self.move = state.apply_action
        self.move_at_once = state.apply_actions

    def draw(self) -> None:
        raise AssertionError

    def fork(self, rng: random.Random) -> Line:
        return _InPlace(self.state.clone())


class _OfEnvironment:
    """A line in an environment of which only `step` is known: a clone with its own random numbers."""

    drawn = True

    def __init__(self, state: EnvState, rng: random.Random) -> None:
        self.episode = Episode.from_state(state, rng.getrandbits(63))
        self.move = self.episode.step

    def move_at_once(self, actions: Sequence[int]) -> None:
        raise AssertionError

    @property
    def state(self) -> Any:
        return self.episode.state

    def draw(self) -> None:
        raise AssertionError

    def fork(self, rng: random.Random) -> Line:
        return _OfEnvironment(self.episode.state, rng)
