"""Checks that copies of an environment are in the same situation as the original, and independent of it."""

import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.budget import LOADING_SECONDS, Budget
from starspiel.envs.gymnasium.cloning.clone import (
    After,
    advance,
    clone,
    has_own_copies,
    seed_in_place,
    take_step,
)
from starspiel.envs.gymnasium.cloning.constants import constants
from starspiel.envs.gymnasium.cloning.copying import AnyEnv, copy_layers
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.cloning.strays import proxy, stray
from starspiel.envs.gymnasium.numbering import as_stepped
from starspiel.envs.gymnasium.players import Players
from starspiel.envs.gymnasium.sampled.differences import Seen, differing_part
from starspiel.envs.gymnasium.sampled.trials import TRIES
from starspiel.envs.gymnasium.sampled.visible import TurnsView, View

_STRAY = (
    "{where} leads to the environment itself by a function or a weak reference, which copies share, so a "
    "search would change the real game. Make it a method, or an attribute of self of its own that is a "
    "function, or a plain reference"
)
_PROXY = "{where} holds a weakref.proxy, which copy.deepcopy makes another object of; use a plain reference"
_IDENTITY = (
    "what copy.deepcopy returns is not in its situation: {after}. If it compares objects by identity (by "
    "`is`, or by == without __eq__) with those in a module or a class, make them members of an enum.Enum, or "
    "give them a __deepcopy__ that returns self; otherwise, give it a __deepcopy__"
)

#: The numbers of episodes and of steps in which copies are compared, and of tests per step.
_EPISODES, _STEPS, _TESTS = 4, 8, 99
#: The time for copies by copy.deepcopy, in seconds of the processor and of the clock.
_SECONDS = 1.0
#: The (action, seed) pairs of an episode so far; the action None is `reset`.
_Line = list[tuple[int | None, int]]


def refuse_strays(env: AnyEnv, name: str) -> None:
    """Raises `UnsupportedGameError` if copies of an environment lead to it, before or after `reset`.

    Only copies are reset, and nothing is stepped.
    """
    for _ in range(2):
        if (where := proxy(env)) is not None and not has_own_copies(env):
            raise UnsupportedGameError(f"{name} cannot be sampled: {_PROXY.format(where=where)}")
        duplicate = clone(env, 1, name)
        if (where := stray(duplicate)) is not None:
            raise UnsupportedGameError(f"{name} cannot be sampled: {_STRAY.format(where=where)}")
        try:
            env = advance(duplicate, None, 1, name).env
        except StarspielError:  # will be reported when it is played
            return


def refuse_lost_identity(env: AnyEnv, view: View) -> None:
    """Raises `UnsupportedGameError` if copies go on differently once they share the objects of its modules.

    Objects that steps change are left alone.
    """
    shared = () if has_own_copies(env) else _unchanging(env, view)
    draw, budget = random.Random(4), Budget(_SECONDS, waiting=1.0)
    before = [(held.__dict__, dict(held.__dict__)) for held in shared if hasattr(held, "__dict__")]
    try:
        for seed in range(1, _EPISODES + 1) if shared else ():
            copies = [clone(env, seed, view.name, given) for given in ((), (), shared)]
            action: int | None = None
            for _ in range(_STEPS + 1):
                one, same, sharing = (_stepped(view, copy, action, seed) for copy in copies)
                if one is None or one != same or budget.spent():
                    break  # errors that will be reported when it is played, or own dice
                if sharing != one:
                    why = _IDENTITY.format(
                        after="copies that share the objects of its modules go on differently"
                    )
                    raise UnsupportedGameError(f"{view.name} cannot be sampled: {why}")
                if one[2]:
                    break
                action = draw.choice(one[3])
    finally:
        for attributes, held in before:
            attributes.clear()
            attributes.update(held)


def _unchanging(env: AnyEnv, view: View) -> list[Any]:
    """Returns those of `constants` that an environment holds and that steps of a copy do not change."""
    memo: dict[int, Any] = {}
    duplicate, draw = copy_layers(env, memo), random.Random(5)
    held = [(part, memo[id(part)]) for part in constants(env) if id(part) in memo]
    before = [_stored(copied) for _, copied in held]
    for seed in range(1, _EPISODES + 1) if held else ():
        shown = _stepped(view, duplicate, None, seed)
        for _ in range(_STEPS):
            if shown is None or shown[2]:
                break
            shown = _stepped(view, duplicate, draw.choice(shown[3]), seed)
    return [
        part
        for (part, copied), was in zip(held, before, strict=True)
        if was is not None and _stored(copied) == was
    ]


def _stored(held: Any) -> bytes | None:
    """Returns an object's attributes as bytes; None if they cannot be stored."""
    try:
        return pickle.dumps(getattr(held, "__dict__", None))
    except Exception:  # a user's own objects may raise anything
        return None


def refuse_others(env: AnyEnv, view: View, players: Players | None) -> None:
    """Raises `UnsupportedGameError` if copies of an environment continue differently from the original.

    Each episode is replayed several times to the same point. From there, the replay is stepped in place and
    in a copy, with the same dice. If the two show something else, both are repeated with fresh dice. What
    they show must not differ in distribution.
    """
    own, view = has_own_copies(env), TurnsView(view.name, view.mask, players)
    budget, draw = Budget(LOADING_SECONDS) if own else Budget(_SECONDS, waiting=1.0), random.Random(3)
    for seed in range(1, _EPISODES + 1):
        line: _Line = [(None, seed)]
        while len(line) <= _STEPS and not (budget.spent() and len(line) > 1):
            at, again = (_replayed(env, view, line) for _ in range(2))
            if at is None or again is None or at.over or view.whole(at) != view.whole(again):
                break  # own dice, or errors that will be reported when it is played
            copied = clone(at.env, 0, view.name)
            legal, theirs = view.legal_actions(at), view.legal_actions(replace(at, env=copied))
            if theirs != legal:
                these, those = ([as_stepped(env, each) for each in some] for some in (legal, theirs))
                raise _refusal(
                    env, view, line, f"allows the actions {those}, and the original allows {these}"
                )
            action = draw.choice(legal)
            if not own and _stepped(view, copied, action, 1) == _stepped(view, again.env, action, 1):
                part = None
            else:
                part = _differing_part(env, view, at, line, action, draw)
            if part is not None:
                taken = shown(as_stepped(env, action))
                raise _refusal(env, view, line, f"and the original differed in step({taken}): {part}")
            line.append((action, draw.getrandbits(62)))


def _stepped(view: View, env: AnyEnv, action: int | None, seed: int) -> Any:
    """Returns what a step of `env` itself with seeded dice shows; None if it raises."""
    seed_in_place(env, seed)
    try:
        with lent(seed):
            return view.whole(take_step(env, action, seed, view.name))
    except StarspielError:  # will be reported when it is played
        return None


def _differing_part(
    env: AnyEnv, view: View, at: After, line: _Line, action: int, draw: random.Random
) -> str | None:
    """Returns the part that differs in distribution between copies and the original after an action."""

    def of_a_copy() -> After | None:
        return advance(at.env, action, draw.getrandbits(62), view.name)

    def of_the_original() -> After | None:
        return _replayed(env, view, line, (action, draw.getrandbits(62)))

    def seen(side: int, size: int) -> list[Seen]:
        return [_seen(view, (of_a_copy, of_the_original)[side]) for _ in range(size)]

    return differing_part([seen(0, TRIES), seen(1, TRIES)], seen, iter(range(_TESTS)))


def _seen(view: View, go: Callable[[], After | None]) -> Seen:
    try:
        at = go()
    except StarspielError:
        at = None
    return {"an error": True} if at is None else {"an error": False} | view.visible(at)


def _replayed(env: AnyEnv, view: View, line: _Line, fresh: tuple[int, int] | None = None) -> After | None:
    """Returns a replayed episode, plus an action with fresh dice if given; None if a step raises."""
    duplicate = clone(env, line[0][1], view.name)
    at = None
    try:
        for action, seed in line:
            with lent(seed):
                at = take_step(duplicate, action, seed, view.name)
        if fresh is not None:
            seed_in_place(duplicate, fresh[1])
            with lent(fresh[1]):
                at = take_step(duplicate, fresh[0], 0, view.name)
    except StarspielError:  # will be reported when it is played
        return None
    return at


def _refusal(env: AnyEnv, view: View, line: _Line, what: str) -> UnsupportedGameError:
    actions = [as_stepped(env, action) for action, _ in line[1:] if action is not None]
    after = f"after reset(seed={line[0][1]}) and the actions {actions}, the copy {what}"
    if not has_own_copies(env):
        return UnsupportedGameError(f"{view.name} cannot be sampled: {_IDENTITY.format(after=after)}")
    return UnsupportedGameError(
        f"{view.name}: the copy that clone= or __deepcopy__ returns is not in the situation of the "
        f"environment: {after}. Return another environment that goes on from the same situation, not a new, "
        "reset or stored one"
    )
