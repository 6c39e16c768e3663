"""Whether copies that an environment's owner makes are in the situation that they are copied from."""

import random
from dataclasses import replace
from typing import Any

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.sampled.clone import After, advance, clone, seed_in_place, take_step
from starspiel.envs.gymnasium.sampled.copying import AnyEnv
from starspiel.envs.gymnasium.sampled.dice import lent
from starspiel.envs.gymnasium.sampled.trials import LOADING_SECONDS, TRIES, Budget, Seen
from starspiel.envs.gymnasium.sampled.trust import confirmed, suspected
from starspiel.envs.gymnasium.sampled.visible import View

#: Episodes and steps in which copies are compared.
_EPISODES, _STEPS = 4, 8
#: The seed of each action of an episode so far; None for `reset`.
Line = list[tuple[int | None, int]]


def refuse_others(env: AnyEnv, view: View) -> None:
    """Raises `UnsupportedGameError` if copies of an environment go on differently than it does itself.

    Each episode is played again and again to the same point. Then one is stepped on in place, of the other
    a copy, both with fresh dice: their looks must not differ in distribution.
    """
    name = view.name
    budget = Budget(LOADING_SECONDS)
    draw = random.Random(3)
    for seed in range(1, _EPISODES + 1):
        line: Line = [(None, seed)]
        while len(line) <= _STEPS and not (budget.spent() and len(line) > 1):
            at = _replayed(env, view, line)
            again = _replayed(env, view, line)
            if at is None or again is None or at.over or view.whole(at) != view.whole(again):
                break  # own dice, or errors that are said to whoever plays it
            legal = view.legal_actions(at)
            copied = view.legal_actions(replace(at, env=clone(at.env, 0, name)))
            if copied != legal:
                raise _refusal(view, line, f"allows the actions {copied}, and the original allows {legal}")
            action = draw.choice(legal)
            if (part := _differing_part(env, view, at, line, action, draw)) is not None:
                raise _refusal(view, line, f"and the original differed in step({action}): {part}")
            line.append((action, draw.getrandbits(62)))


def _differing_part(
    env: AnyEnv, view: View, at: After, line: Line, action: int, draw: random.Random
) -> str | None:
    """What differs in distribution after an action, between copies and the episode itself."""

    def of_copies(size: int) -> list[Seen]:
        return [
            _seen(view, lambda: advance(at.env, action, draw.getrandbits(62), view.name)) for _ in range(size)
        ]

    def of_originals(size: int) -> list[Seen]:
        going = (lambda: _replayed(env, view, line, (action, draw.getrandbits(62))) for _ in range(size))
        return [_seen(view, go) for go in going]

    sides = of_copies, of_originals
    suspect = suspected([side(TRIES) for side in sides])
    if suspect is None:
        return None
    mine, others = sides if suspect.member == 0 else sides[::-1]
    return suspect.part if confirmed(suspect, mine, others, iter(range(99))) else None


def _seen(view: View, go: Any) -> Seen:
    try:
        at = go()
        return {"an error": True} if at is None else {"an error": False} | view.visible(at)
    except StarspielError:
        return {"an error": True}


def _replayed(env: AnyEnv, view: View, line: Line, fresh: tuple[int, int] | None = None) -> After | None:
    """An episode stepped in place, at its end an action with fresh dice; None if it cannot be."""
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
    except StarspielError:  # said to whoever plays it
        return None
    return at


def _refusal(view: View, line: Line, what: str) -> UnsupportedGameError:
    actions = [action for action, _ in line[1:]]
    return UnsupportedGameError(
        f"{view.name}: the copy that clone= or __deepcopy__ returns is not in the situation of the "
        f"environment: after reset(seed={line[0][1]}) and the actions {actions}, the copy {what}. Return "
        "another environment that goes on from the same situation, not a new, reset or stored one"
    )
