"""`Players`: whose turn it is in an environment with several players, and whose reward a step pays."""

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
    """The players of an environment: who is to move, and how a reward counts for each of them.

    Attributes:
        to_play: the declaration of who is to move.
        reward: "mover", the reward of the player who made the step, or "player_0".
        names: the environment's names of its players.
        zero_sum: whether two players play against each other; otherwise each maximises their own rewards.
    """

    def __init__(self, to_play: ToPlay, reward: str, names: Sequence[Any], *, zero_sum: bool) -> None:
        self.to_play = to_play
        self.reward = reward
        self.names = names
        self.zero_sum = zero_sum

    def mover(self, env: gymnasium.Env[Any, Any], info: Any, name: str) -> int:
        """Returns the number of the player to move.

        Raises `StarspielError` if the environment names no player, or an unknown one.
        """
        told = told_mover(env, info, self.to_play, name)
        if type(told) is not type(self.names[0]) or told not in self.names:
            known = " or ".join(f"{shown(each)} (player {player})" for player, each in enumerate(self.names))
            raise StarspielError(
                f"{name}: {place(self.to_play)} says that {shown(told)} is to move; expected {known}"
            )
        return self.names.index(told)

    def gain(self, mover: int, reward: float) -> float:
        """Returns player 0's reward for a step of `mover` that returned `reward`."""
        if self.reward == "player_0" or mover == 0:
            return reward
        return -reward if self.zero_sum else 0.0

    def gains(self, mover: int, reward: float) -> tuple[float, ...]:
        """Returns every player's reward for a step of `mover` that returned `reward`."""
        if self.zero_sum:
            gain = self.gain(mover, reward)
            return gain, -gain
        return tuple(reward if player == mover else 0.0 for player in range(len(self.names)))

    def tells(self, player: int, mover: int) -> bool:
        """Returns whether `player` knows the reward of a step of `mover`: it is theirs, or what they lose."""
        return self.zero_sum or player == (mover if self.reward == "mover" else 0)

    def __str__(self) -> str:
        whose = "the mover" if self.reward == "mover" else "player 0"
        *others, last = map(shown, self.names)
        count = "two" if len(self.names) == 2 else str(len(self.names))
        who = f"{count} players ({', '.join(others)} and {last})"
        return f"{who}, {place(self.to_play)} tells who is to move, rewards are those of {whose}"


def told_mover(env: gymnasium.Env[Any, Any], info: Any, to_play: ToPlay, name: str) -> Any:
    """Returns the environment's name of the player to move, normalised by `plain_name`."""
    if not isinstance(to_play, str):
        try:
            return plain_name(to_play(as_given(env)))
        except Exception as error:  # a user's function may raise anything
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
    """Returns a whole number, including an IntEnum member, as an int, text as a str, all else unchanged."""
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
    """Returns the environment's names of its players in order; None if not all players were seen.

    Args:
        seen: the names of players that were seen to be to move.
        players: the number of players.
        order: the order of names that are not numbers; alphabetical if empty.

    The numbers from 0, the numbers from 1, and 1 and -1 mean players 0, 1 and so on, in this order.
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
    """Returns whether a value can be the name of a player."""
    return isinstance(told, str | int | Enum) and not isinstance(told, bool)


def place(to_play: ToPlay | None) -> str:
    """Returns where the environment says who is to move, for errors."""
    return repr(to_play) if isinstance(to_play, str) else "the function to_play"
