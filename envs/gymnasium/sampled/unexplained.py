"""Stored dice if no two episodes look alike: what follows neither from fresh dice nor from what is shown.

One number that differs in every episode, as a bankroll does, leaves nothing to compare. But dice that are
stored give themselves away otherwise: fresh dice do not change what they decide, and nothing that is shown
foretells it. Each part of what follows an action is predicted, for every episode, from all other episodes. A
cart's next place can be foretold so; the next card of a shuffled deck cannot.
"""

import random
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.cloning.clone import After, advance
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.sampled.visible import View

#: Episodes that are compared, the fewest of them that tell something, and steps of each.
_EPISODES, _FEWEST, _STEPS = 64, 40, 3
#: The share (of the variance, or of episodes) below which a part is not foretold by what is shown.
_FORETOLD = 0.3
#: A part that is the same in more than this share of episodes tells nothing.
_SAME = 0.9
#: Different values up to which a number may be a category.
_CATEGORIES = 15

Matrix = NDArray[np.float64]
Shown = dict[str, Hashable]


def find_unexplained(env: AnyEnv, view: View, budget: Budget) -> str | None:
    """A part of what follows that seems to be stored, in words; None if none does or time runs out."""
    draw = random.Random(3)

    def advanced(envs: Sequence[AnyEnv], action: int | None) -> list[After]:
        return [advance(env, action, draw.getrandbits(62), view.name) for env in envs if not budget.spent()]

    at = advanced([env] * _EPISODES, None)
    for step in range(1, _STEPS + 1):
        at = [after for after in at if not after.over]
        common = set.intersection(*(set(view.legal_actions(after)) for after in at)) if at else set()
        if len(at) < _FEWEST or not common:
            return None
        action = sorted(common)[step % len(common)]
        went, again = (advanced([after.env for after in at], action) for _ in range(2))
        if len(again) < len(at) or not all(_is_shown_in_parts(after, view) for after in at):
            return None  # no time, or what is shown is too much to learn from so few episodes
        part = _unexplained_part(*([view.visible(after) for after in them] for them in (at, went, again)))
        if part is not None:
            return (
                f"in step {step}, by action {action}, fresh dice never changed {part} in {len(at)} episodes, "
                "and nothing shown foretold it, so it may follow from what is stored (a deck shuffled in "
                "reset)"
            )
        at = went
    return None


def _is_shown_in_parts(after: After, view: View) -> bool:
    """Whether every number of the observation is looked at by itself."""
    return any(part.startswith("observation") for part in view.visible(after))


def _unexplained_part(shown: Sequence[Shown], went: Sequence[Shown], again: Sequence[Shown]) -> str | None:
    for part in went[0]:
        if any(one.get(part) != two.get(part) for one, two in zip(went, again, strict=True)):
            continue  # dice decide it
        values = _numbers(went, part)
        if values is not None and _shares(values).max() <= _SAME and not _is_foretold(values, shown):
            return part
    return None


def _numbers(seen: Sequence[Shown], part: str) -> Matrix | None:
    """A part as numbers; None if it is something else in an episode."""
    values = [value for one in seen if isinstance(value := one.get(part), bool | int | float)]
    return np.array(values, dtype=np.float64) if len(values) == len(seen) else None


def _shares(values: Matrix) -> Matrix:
    counts = np.unique(values, return_counts=True)[1]
    return np.asarray(counts / len(values), dtype=np.float64)


def _is_foretold(values: Matrix, shown: Sequence[Shown]) -> bool:
    """Whether what was shown tells, in any of several ways, to some degree what followed.

    By a number as it was, by one column, or by the episode that looks most alike.
    """
    numbers = [_numbers(shown, part) for part in shown[0]]
    by_chance = float((_shares(values) ** 2).sum())
    if any(one is not None and (values == one).mean() - by_chance >= _FORETOLD for one in numbers):
        return True
    features = _features(shown, numbers)
    centred, columns = values - values.mean(), features - features.mean(axis=0)
    total = float((centred**2).sum())
    explained = (columns.T @ centred) ** 2 / np.maximum(1e-9, (columns**2).sum(axis=0))
    apart = ((features[:, None] - features[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    errors = values - values[apart.argmin(axis=1)]
    return max(float(explained.max()), total - float((errors**2).sum())) >= _FORETOLD * total


def _features(shown: Sequence[Shown], numbers: Sequence[Matrix | None]) -> Matrix:
    """What was shown as columns: numbers and their squares in standard deviations, and categories."""
    columns = [np.ones(len(shown))]
    for part, values in zip(shown[0], numbers, strict=True):
        if values is None:
            texts = [text if isinstance(text := one.get(part), str) else None for one in shown]
            columns += [
                np.array([t == text for t in texts], float) for text in sorted({*texts} - {None}, key=str)
            ]
            continue
        if not np.isfinite(values).all() or not values.std():
            continue
        scaled = (values - values.mean()) / values.std()
        columns += [scaled, scaled**2]
        different = np.unique(values)
        if 2 < len(different) <= _CATEGORIES:
            columns += [(values == one).astype(np.float64) for one in different]
    return np.stack(columns, axis=1)
