"""The players of a shared environment: whose turn it is, and whose reward a step pays."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from numbers import Integral
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.numbering import as_given

#: How to find the player to move: a key of `info`, an attribute, or a function of the environment.
ToPlay = str | Callable[[Any], Any]

#: Whose reward `step` returns.
REWARDS = ("mover", "player_0")


class Players:
    """The players of an environment: who is to move, and what a reward is worth to player 0.

    Attributes:
        to_play: as declared.
        reward: "mover", the reward of whoever made the step, or "player_0".
        names: how the environment calls its players.
        zero_sum: whether they are two who play against each other; else each maximises its own rewards.
    """

    def __init__(self, to_play: ToPlay, reward: str, names: Sequence[Any], *, zero_sum: bool) -> None:
        self.to_play = to_play
        self.reward = reward
        self.names = names
        self.zero_sum = zero_sum

    def mover(self, env: gymnasium.Env[Any, Any], info: Any, name: str) -> int:
        """The player's number. Raises `StarspielError` if the environment names none or an unknown one."""
        told = told_mover(env, info, self.to_play, name)
        if type(told) is not type(self.names[0]) or told not in self.names:
            known = " or ".join(f"{shown(each)} (player {player})" for player, each in enumerate(self.names))
            raise StarspielError(
                f"{name}: {place(self.to_play)} says that {shown(told)} is to move; expected {known}"
            )
        return self.names.index(told)

    def gain(self, mover: int, reward: float) -> float:
        """The part of player 0's return from a step of `mover` that returned `reward`."""
        if self.reward == "player_0" or mover == 0:
            return reward
        return -reward if self.zero_sum else 0.0

    def gains(self, mover: int, reward: float) -> tuple[float, ...]:
        """The part of every player's return from such a step."""
        if self.zero_sum:
            gain = self.gain(mover, reward)
            return gain, -gain
        return tuple(reward if player == mover else 0.0 for player in range(len(self.names)))

    def __str__(self) -> str:
        whose = "the mover" if self.reward == "mover" else "player 0"
        *others, last = map(shown, self.names)
        count = "two" if len(self.names) == 2 else str(len(self.names))
        who = f"{count} players ({', '.join(others)} and {last})"
        return f"{who}, {place(self.to_play)} tells who is to move, rewards are those of {whose}"


def told_mover(env: gymnasium.Env[Any, Any], info: Any, to_play: ToPlay, name: str) -> Any:
    """The environment's name of the player to move: a whole number or a string."""
    if not isinstance(to_play, str):
        try:
            return plain_name(to_play(as_given(env)))
        except Exception as error:  # whatever a user's function raises
            raise StarspielError(f"{name}: to_play raised {type(error).__name__}: {error}") from error
    if isinstance(info, dict) and to_play in info:
        return plain_name(info[to_play])
    if not env.has_wrapper_attr(to_play):
        raise StarspielError(
            f"{name}: to_play is {to_play!r}, but neither info nor the environment has it; if it is a key "
            "of info, give act the info that reset or step returned last"
        )
    found = env.get_wrapper_attr(to_play)
    return plain_name(found() if callable(found) else found)


def plain_name(told: Any) -> Any:
    """A whole number as an int, also if it is an IntEnum's member, a text as a string; all else as it is."""
    if isinstance(told, np.bool_):
        return bool(told)
    if isinstance(told, Integral) and not isinstance(told, bool):
        return int(told)
    if isinstance(told, Enum):
        return told
    if isinstance(told, str):
        return str(told)
    try:
        return plain_name(told.item()) if getattr(told, "size", 0) == 1 else told
    except (AttributeError, TypeError, ValueError):
        return told


def player_names(seen: Iterable[Any], players: int, order: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """What the environment calls its players, of the names seen to be to move; None if not all are seen.

    0, 1 and so on, 1, 2 and so on, and 1 and -1 mean players 0, 1 and so on in this order; others are as in
    `order`, or else in that of the alphabet.
    """
    distinct = set(filter(is_name, seen))
    if len(distinct) != players:
        return None
    for names in (range(players), range(1, players + 1), (1, -1)):
        if distinct == set(names):
            return tuple(names)
    kinds: set[Any] = set(map(type, distinct))
    if len(kinds) != 1 or int in kinds:
        return None
    return tuple(order or sorted(distinct, key=str))


def is_name(told: Any) -> bool:
    """Whether players are called by such values."""
    return isinstance(told, str | int | Enum) and not isinstance(told, bool)


def place(to_play: ToPlay | None) -> str:
    """Where it is said who is to move, for errors."""
    return repr(to_play) if isinstance(to_play, str) else "the function to_play"
