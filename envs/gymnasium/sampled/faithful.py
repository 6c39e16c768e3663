"""Checks that a user's own copies of an environment are in the same situation as the original."""

import random
from collections.abc import Callable
from dataclasses import replace

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.budget import LOADING_SECONDS, Budget
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, seed_in_place, take_step
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.numbering import as_stepped
from starspiel.envs.gymnasium.sampled.differences import Seen, differing_part
from starspiel.envs.gymnasium.sampled.trials import TRIES
from starspiel.envs.gymnasium.sampled.visible import View

#: The numbers of episodes and of steps in which copies are compared, and of tests per step.
_EPISODES, _STEPS, _TESTS = 4, 8, 99
#: The (action, seed) pairs of an episode so far; the action None is `reset`.
_Line = list[tuple[int | None, int]]


def refuse_others(env: AnyEnv, view: View) -> None:
    """Raises `UnsupportedGameError` if copies of an environment continue differently from the original.

    Each episode is replayed several times to the same point. From there, the replay is stepped in place or in
    a copy, always with fresh dice. What the two show must not differ in distribution.
    """
    budget, draw = Budget(LOADING_SECONDS), random.Random(3)
    for seed in range(1, _EPISODES + 1):
        line: _Line = [(None, seed)]
        while len(line) <= _STEPS and not (budget.spent() and len(line) > 1):
            at, again = (_replayed(env, view, line) for _ in range(2))
            if at is None or again is None or at.over or view.whole(at) != view.whole(again):
                break  # own dice, or errors that will be reported when it is played
            legal = view.legal_actions(at)
            copied = view.legal_actions(replace(at, env=clone(at.env, 0, view.name)))
            if copied != legal:
                own, theirs = ([as_stepped(env, each) for each in some] for some in (legal, copied))
                raise _refusal(env, view, line, f"allows the actions {theirs}, and the original allows {own}")
            action = draw.choice(legal)
            if (part := _differing_part(env, view, at, line, action, draw)) is not None:
                taken = shown(as_stepped(env, action))
                raise _refusal(env, view, line, f"and the original differed in step({taken}): {part}")
            line.append((action, draw.getrandbits(62)))


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
    return UnsupportedGameError(
        f"{view.name}: the copy that clone= or __deepcopy__ returns is not in the situation of the "
        f"environment: after reset(seed={line[0][1]}) and the actions {actions}, the copy {what}. Return "
        "another environment that goes on from the same situation, not a new, reset or stored one"
    )
