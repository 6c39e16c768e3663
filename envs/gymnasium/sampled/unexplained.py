"""Stored dice where no two episodes look alike: what follows neither from fresh dice nor from sight.

One number that differs in every episode, as a bankroll does, leaves nothing to compare. But dice that are
stored give themselves away otherwise: fresh dice do not change what they decide, and nothing that is shown
foretells it. The second is tested by regression: each part of what follows an action is predicted from what
was shown, for every episode from all others (leave-one-out). A cart's next place can be foretold so; the next
card of a shuffled deck cannot.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance
from starspiel.envs.gymnasium.sampled.situations import Budget
from starspiel.envs.gymnasium.sampled.visible import View

#: Episodes that are compared, the fewest of them that tell something, and steps of each.
_EPISODES, _FEWEST, _STEPS = 64, 40, 3
#: The share (of the variance, or of episodes) below which a part is not foretold by what is shown.
_FORETOLD = 0.3
#: A part that is the same in more than this share of episodes tells nothing.
_SAME = 0.9
#: Different values up to which a number may be a category.
_CATEGORIES = 15
_RIDGES = (1e-6, 1e-2, 1.0)

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Unexplained:
    """A part of what follows an action that neither fresh dice nor what is shown decides.

    Attributes:
        part: which.
        action, step: after which action, in which step.
        episodes: in so many episodes it stayed the same under fresh dice.
    """

    part: str
    action: int
    step: int
    episodes: int

    def __str__(self) -> str:
        return (
            f"in step {self.step}, by action {self.action}, fresh dice never changed {self.part} in "
            f"{self.episodes} episodes, and nothing shown foretold it, so it may follow from what is stored "
            "(a deck shuffled in reset)"
        )


def find_unexplained(env: AnyEnv, view: View, seconds: float) -> Unexplained | None:
    """The first part of what follows that seems to be stored; None where none does or time runs out."""
    budget = Budget(seconds)
    seeds = iter(np.random.default_rng(3).integers(1, 2**62, size=3 * _EPISODES * (_STEPS + 1)).tolist())
    at = list(_advanced([env] * _EPISODES, None, view, seeds, budget))
    for step in range(1, _STEPS + 1):
        at = [after for after in at if not after.over]
        if len(at) < _FEWEST:
            return None
        common = set.intersection(*(set(view.legal_actions(after)) for after in at))
        if not common:
            return None
        action = sorted(common)[step % len(common)]
        envs = [after.env for after in at]
        went = list(_advanced(envs, action, view, seeds, budget))
        again = list(_advanced(envs, action, view, seeds, budget))
        if len(again) < len(at):
            return None
        if not all(_is_shown_in_parts(after, view) for after in at):
            return None  # what is shown is too much to learn from so few episodes
        part = _unexplained_part(*([_seen(after, view) for after in them] for them in (at, went, again)))
        if part is not None:
            return Unexplained(part, action, step, len(at))
        at = went
    return None


def _advanced(
    envs: Sequence[AnyEnv], action: int | None, view: View, seeds: Iterator[int], budget: Budget
) -> Iterator[After]:
    for env in envs:
        if budget.spent():
            return
        yield advance(env, action, next(seeds), view.name)


def _seen(after: After, view: View) -> dict[str, Hashable]:
    """What is seen after a step, a single number in whatever it is packed too."""
    seen = view.visible(after)
    if _is_number(after.observation):
        seen["observation"] = float(np.asarray(after.observation).item())
    return seen


def _is_number(observation: Any) -> bool:
    return isinstance(observation, int | float | np.number) or (
        isinstance(observation, np.ndarray) and observation.size == 1 and observation.dtype.kind in "biuf"
    )


def _is_shown_in_parts(after: After, view: View) -> bool:
    """Whether every number of the observation is looked at by itself."""
    return _is_number(after.observation) or any(
        part.startswith("observation") for part in view.visible(after)
    )


def _unexplained_part(
    shown: Sequence[dict[str, Hashable]],
    went: Sequence[dict[str, Hashable]],
    again: Sequence[dict[str, Hashable]],
) -> str | None:
    sight: _Sight | None = None
    for part in went[0]:
        if any(one.get(part) != two.get(part) for one, two in zip(went, again, strict=True)):
            continue  # dice decide it
        values = _numbers(went, part)
        if values is None or _share_of_commonest(values) > _SAME:
            continue
        sight = sight or _Sight(shown)
        if not sight.foretells(values):
            return part
    return None


def _numbers(seen: Sequence[dict[str, Hashable]], part: str) -> Matrix | None:
    """A part as numbers; None where it is something else in an episode."""
    values: list[Any] = [one.get(part) for one in seen]
    if not all(isinstance(value, bool | int | float) for value in values):
        return None
    return np.array(values, dtype=np.float64)


def _share_of_commonest(values: Matrix) -> float:
    return float(np.unique(values, return_counts=True)[1].max() / len(values))


def _features(shown: Sequence[dict[str, Hashable]]) -> Matrix:
    """What was shown as columns: numbers and their squares in standard deviations, and categories."""
    columns = [np.ones(len(shown))]
    for part in shown[0]:
        values = _numbers(shown, part)
        if values is None:
            told: list[Any] = [one.get(part) for one in shown]
            texts = set(told) if all(isinstance(value, str) for value in told) else set()
            columns += [np.array([value == text for value in told], float) for text in sorted(texts)]
            continue
        if not np.isfinite(values).all() or not values.std():
            continue
        scaled = (values - values.mean()) / values.std()
        columns += [scaled, scaled**2]
        different = np.unique(values)
        if 2 < len(different) <= _CATEGORIES:
            columns += [(values == one).astype(np.float64) for one in different]
    return np.stack(columns, axis=1)


class _Sight:
    """What was shown in many episodes, to foretell what followed."""

    def __init__(self, shown: Sequence[dict[str, Hashable]]) -> None:
        numbers = [_numbers(shown, part) for part in shown[0]]
        self._numbers = [values for values in numbers if values is not None]
        features = _features(shown)
        self._columns = features - features.mean(axis=0)
        grams = (features.T @ features + ridge * np.eye(features.shape[1]) for ridge in _RIDGES)
        self._hats = [features @ np.linalg.solve(gram, features.T) for gram in grams]
        squares = (features**2).sum(axis=1)
        apart = squares[:, None] + squares[None] - 2 * features @ features.T
        np.fill_diagonal(apart, np.inf)
        self._nearest = apart.argmin(axis=1)

    def foretells(self, values: Matrix) -> bool:
        """Whether what followed can be told beforehand, in any of several ways, to some degree.

        By a number as it was, by one column, by the episode that looks most alike, or by ridge regression,
        in which each episode is foretold from all others.
        """
        _, counts = np.unique(values, return_counts=True)
        by_chance = float(((counts / len(values)) ** 2).sum())
        if any((values == one).mean() - by_chance >= _FORETOLD for one in self._numbers):
            return True
        centred = values - values.mean()
        total = float((centred**2).sum())
        explained = (self._columns.T @ centred) ** 2 / np.maximum(1e-9, (self._columns**2).sum(axis=0))
        # What is left of an episode by a fit without it (Allen's PRESS residual).
        left = [(values - hat @ values) / np.maximum(1e-9, 1 - np.diag(hat)) for hat in self._hats]
        unexplained = min(float((errors**2).sum()) for errors in (*left, values - values[self._nearest]))
        return max(float(explained.max()), total - unexplained) >= _FORETOLD * total
