"""Reads the legal actions of an environment from wherever its author provides them.

The sources are `info["action_mask"]`, `env.action_masks()` (the protocol of sb3-contrib),
`observation["action_mask"]` (the convention of PettingZoo and OpenSpiel), and `info["valid_actions"]` or
`info["legal_actions"]`, which list actions. If there are several, they must agree.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.numbering import Numbering, as_given, numbering_of

#: A user's function from an environment in some situation to a mask over its actions.
Mask = Callable[[Any], Any]

_MASKS = ("action_mask", "action_masks")
_LISTS = ("valid_actions", "legal_actions")
#: Names of what tells legal actions in other libraries and in people's own code.
_LIKE_MASKS = re.compile(
    r"_?((get|compute)_?)?"
    r"(((legal|valid|avail(able)?|allowed|possible)_?(actions?|moves?))(_?mask)?|actions?_?masks?)",
    re.IGNORECASE,
)


def legal_actions(
    env: gymnasium.Env[Any, Any], observation: Any, info: Any, mask: Mask | None, name: str
) -> list[int]:
    """Returns the legal actions, ascending; all actions of the space if there is no source.

    Args:
        env: the environment in the situation in question, with its wrappers.
        observation, info: what `reset` or `step` returned there; None if that is not known.
        mask: the user's own function; if given, it is the only source.
        name: the game's name, for errors.

    Raises `StarspielError` if a mask cannot be read, allows no action, or contradicts another.
    """
    space: Any = env.action_space
    first, count = int(space.start), int(space.n)
    actions = Actions(range(first, first + count), numbering_of(env), name)
    found = list(_found(env, observation, info, mask, actions))
    if not found:
        return list(range(first, first + count))
    where, legal = found[0]
    for other, also in found[1:]:
        if also != legal:
            raise StarspielError(
                f"{name}: {where} allows the actions {shown(legal)}, {other} allows {shown(also)}; "
                "say which is right by mask=, a function of the environment"
            )
    if not legal:
        raise StarspielError(
            f"{name}: {where} allows no action, and the episode is not over; "
            "an environment must allow an action or return terminated=True"
        )
    return legal


def where_masks_are(env: gymnasium.Env[Any, Any], observation: Any, info: Any) -> set[str]:
    """Returns those of "info" and "observation" that contain a mask; none if the environment offers one."""
    if _method(env) is not None:
        return set()
    places = {"info": info, "observation": observation}
    return {
        place
        for place, held in places.items()
        if isinstance(held, Mapping) and any(held.get(key) is not None for key in (*_MASKS, *_LISTS))
    }


def unread_mask(env: gymnasium.Env[Any, Any], observation: Any, info: Any) -> str | None:
    """Returns where an environment seems to tell legal actions under a name that is not read, such as
    "info['legal_moves']"; None if there is no such place, or a source that is read.
    """
    if _method(env) is not None:
        return None
    unread: str | None = None
    for place, held in (("info", info), ("observation", observation)):
        if not isinstance(held, Mapping):
            continue
        if any(held.get(key) is not None for key in (*_MASKS, *_LISTS)):
            return None
        named = (f"{place}[{key!r}]" for key in held if _LIKE_MASKS.fullmatch(str(key)))
        unread = unread or next(named, None)
    inside = env.unwrapped
    names = (*getattr(inside, "__dict__", ()), *dir(type(inside)))
    return unread or next((f"env.{name}" for name in names if _LIKE_MASKS.fullmatch(name)), None)


@dataclass(frozen=True)
class Actions:
    """The actions of an environment, for reading masks and lists of legal ones.

    Attributes:
        numbers: the numbers of the actions.
        numbering: how the environment's own actions are numbered; None if they are numbers.
        name: the game's name, for errors.
    """

    numbers: range
    numbering: Numbering | None
    name: str

    def of_mask(self, mask: Any, where: str) -> list[int]:
        """Returns the actions that a mask allows: one entry per action, or a mask of the action space."""
        composite = None if self.numbering is None else self.numbering.mask(mask)
        flags = _array(mask) if composite is None else composite
        if flags is None or flags.shape != (len(self.numbers),):
            what = f"an array of shape {flags.shape}" if flags is not None else shown(mask)
            raise StarspielError(
                f"{self.name}: expected {where} to be a mask of {len(self.numbers)} entries, one per action, "
                f"got {what}"
            )
        if flags.dtype.kind not in "biuf" or not np.isin(flags, (0, 1)).all():
            raise StarspielError(
                f"{self.name}: expected {where} to hold 0 and 1 only, got {shown(flags.tolist())}"
            )
        return [action for action, allowed in zip(self.numbers, flags.tolist(), strict=True) if allowed]

    def of_list(self, listed: Any, where: str) -> list[int]:
        """Returns the listed actions; a mask in place of a list is read as a mask if it cannot be a list."""
        if self.numbering is not None:
            try:
                return sorted({self.numbering.number(action) for action in listed})
            except (TypeError, ValueError) as error:
                raise StarspielError(f"{self.name}: {where} lists {shown(listed)}: {error}") from None
        array = _array(sorted(listed) if isinstance(listed, set | frozenset) else listed)
        if array is None or array.ndim != 1:
            raise StarspielError(f"{self.name}: expected {where} to list actions, got {shown(listed)}")
        if array.dtype.kind == "b" and len(array) != 0:
            return self.of_mask(array, where)
        values = array.tolist()
        numbers = self.numbers
        if len(set(values)) < len(values) == len(numbers) and set(values) <= {0, 1}:
            return self.of_mask(array, where)
        if array.dtype.kind not in "iu" and values:
            raise StarspielError(f"{self.name}: expected {where} to list actions, got {shown(listed)}")
        legal = sorted(set(values))
        if legal and (legal[0] not in numbers or legal[-1] not in numbers):
            raise StarspielError(
                f"{self.name}: {where} lists {shown(values)}; expected actions from {numbers[0]} to "
                f"{numbers[-1]}"
            )
        return legal


def _found(
    env: gymnasium.Env[Any, Any], observation: Any, info: Any, mask: Mask | None, actions: Actions
) -> Iterator[tuple[str, list[int]]]:
    """Yields each source of legal actions with its contents."""
    if mask is not None:
        yield "mask=", actions.of_mask(_called(mask, (as_given(env),), "mask=", actions.name), "mask=")
        return
    for place, held in (("info", info), ("observation", observation)):
        if not isinstance(held, Mapping):
            continue
        for key in _MASKS:
            if held.get(key) is not None:
                where = f"{place}[{key!r}]"
                yield where, actions.of_mask(held[key], where)
        for key in _LISTS:
            if held.get(key) is not None:
                where = f"{place}[{key!r}]"
                yield where, actions.of_list(held[key], where)
    method = _method(env)
    if method is not None:
        where = "action_masks()"
        yield where, actions.of_mask(_called(method, (), where, actions.name), where)


def _method(env: gymnasium.Env[Any, Any]) -> Callable[[], Any] | None:
    """Returns `action_masks` of the outermost layer that has it; None if there is none."""
    if not env.has_wrapper_attr("action_masks"):
        return None
    found = env.get_wrapper_attr("action_masks")
    return found if callable(found) else None


def _called(function: Callable[..., Any], given: tuple[Any, ...], where: str, name: str) -> Any:
    try:
        return function(*given)
    except Exception as error:  # a user's function may raise anything
        raise StarspielError(f"{name}: {where} raised {type(error).__name__}: {error}") from error


def _array(held: Any) -> Any:
    """Returns a list, tuple or array as an array; None for anything that contains more than numbers."""
    if isinstance(held, str | bytes | Mapping | set | frozenset):
        return None
    try:
        array = np.asarray(held)
    except (TypeError, ValueError):
        return None
    return array if array.ndim and array.dtype.kind != "O" else None
