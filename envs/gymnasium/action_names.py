"""Finds the names of a Gymnasium environment's actions."""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.numbering import NumberedActions

#: `- 0: Move left`, as under "Action Space" in the documentation of Gymnasium's own environments.
_LISTED = re.compile(r"^\s*[-*]\s*(\d+)\s*:\s*(\S.*?)\.?\s*$", re.MULTILINE)
_SECTION = re.compile(r"^\s*#+\s*Action Space\s*$(.*?)(?=^\s*#|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE)


def action_names(env: gymnasium.Env[Any, Any]) -> dict[int, str]:
    """Returns {action: name}; empty unless all names are known.

    The names of `NumberedActions` are the environment's own actions. Other names are what
    `get_action_meanings()` returns, if the environment has that method, as Atari environments do. Otherwise
    they are those that the docstring of its class lists under the heading "Action Space".
    """
    if isinstance(env, NumberedActions):
        return env.numbering.names
    inside: Any = env.unwrapped
    space = env.action_space
    assert isinstance(space, gymnasium.spaces.Discrete), "load_gymnasium checks the action space"
    actions = range(int(space.start), int(space.start + space.n))
    meanings = getattr(inside, "get_action_meanings", None)
    if callable(meanings):
        names = _numbered(meanings, actions)
    else:
        section = _SECTION.search(inspect.getdoc(type(inside)) or "")
        names = {int(number): name for number, name in _LISTED.findall(section[1])} if section else {}
    complete = set(names) == set(actions) and len(set(names.values())) == len(names)
    return names if complete else {}


def _numbered(meanings: Callable[[], Iterable[Any]], actions: Iterable[int]) -> dict[int, str]:
    try:
        return dict(zip(actions, map(str, meanings()), strict=True))
    except Exception:  # a user's environment may raise anything; it can be played without names
        return {}
