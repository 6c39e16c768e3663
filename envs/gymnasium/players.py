"""The players of a shared environment: whose turn it is, and whose reward a step pays."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from numbers import Integral
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.numbering import as_given

#: How to find the player to move: a key of `info`, an attribute, or a function of the environment.
ToPlay = str | Callable[[Any], Any]

#: Whose reward `step` returns.
REWARDS = ("mover", "player_0")

#: The names of players 0 and 1, in this order.
_CONVENTIONS = ((0, 1), (1, 2), (1, -1))


class Players:
    """The players of an environment: who is to move, and what a reward is worth to player 0.

    Attributes:
        to_play: as declared.
        reward: "mover", the reward of whoever made the step, or "player_0".
        names: how the environment calls its players, two unless it is one of PettingZoo.
    """

    def __init__(self, to_play: ToPlay, reward: str, names: Sequence[Any]) -> None:
        self.to_play = to_play
        self.reward = reward
        self.names = names

    def mover(self, env: gymnasium.Env[Any, Any], info: Any, name: str) -> int:
        """The player's number. Raises `StarspielError` if the environment names none or an unknown one."""
        told = told_mover(env, info, self.to_play, name)
        if type(told) is not type(self.names[0]) or told not in self.names:
            known = " or ".join(f"{shown(each)} (player {player})" for player, each in enumerate(self.names))
            raise StarspielError(
                f"{name}: {_place(self.to_play)} says that {shown(told)} is to move; expected {known}"
            )
        return self.names.index(told)

    def gain(self, mover: int, reward: float) -> float:
        """The part of player 0's return from a step of `mover` that returned `reward`."""
        return -reward if self.reward == "mover" and mover == 1 else reward

    def __str__(self) -> str:
        whose = "the mover" if self.reward == "mover" else "player 0"
        first, second = map(shown, self.names)
        who = f"two players ({first} and {second})"
        return f"{who}, {_place(self.to_play)} tells who is to move, rewards are those of {whose}"


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


def player_names(seen: Iterable[Any], order: Sequence[Any] = ()) -> tuple[Any, Any] | None:
    """What the environment calls players 0 and 1, of the names seen to be to move; None if not two are seen.

    0 and 1, 1 and 2, and 1 and -1 mean players 0 and 1 in this order; others are as in `order`, or else in
    that of the alphabet.
    """
    distinct = set(filter(is_name, seen))
    for names in _CONVENTIONS:
        if distinct == set(names):
            return names
    kinds: set[Any] = set(map(type, distinct))
    if len(distinct) != 2 or len(kinds) != 1 or int in kinds:
        return None
    first, second = order or sorted(distinct, key=str)
    return (first, second)


def names_or_refuse(
    seen: list[Any], begin: list[Any], agents: Any, to_play: ToPlay, reward: str | None, name: str
) -> tuple[Any, Any]:
    """`player_names` of what a few random episodes have shown, in the order of `agents`, if these are both,
    or else beginning with whoever always begins. Raises if there are not two, or it is not known whose
    rewards are paid.
    """
    order: list[Any] = []
    names = None
    if all(map(is_name, seen)):
        if isinstance(agents, list | tuple) and len(agents) == 2 and set(agents) == set(seen):
            order = list(agents)
        elif len(set(begin)) == 1:
            order = [begin[0], *set(seen).difference(begin)]
        names = player_names(seen, order)
    if names is None:
        distinct = list(dict.fromkeys(map(shown, seen)))
        raise UnsupportedGameError(
            f"{name}: expected {_place(to_play)} to be 0 and 1, 1 and 2, 1 and -1 or two names in turn, and "
            f"in {len(seen)} situations of random play it was {', '.join(distinct[:9])}; give a function of "
            "the environment that returns 0 or 1: to_play=lambda env: ..."
        )
    if reward == "player_0" and not isinstance(names[0], int) and not order:
        raise UnsupportedGameError(
            f"{name}: either of {shown(names[0])} and {shown(names[1])} begins, so it is not known whose "
            "rewards are those of player 0; give a function of the environment that returns 0 or 1: "
            "to_play=lambda env: ..."
        )
    return names


def is_name(told: Any) -> bool:
    """Whether players are called by such values."""
    return isinstance(told, str | int | Enum) and not isinstance(told, bool)


def _place(to_play: ToPlay) -> str:
    return repr(to_play) if isinstance(to_play, str) else "the function to_play"
