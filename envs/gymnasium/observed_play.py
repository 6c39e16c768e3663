"""Random play of an environment as one table, in which columns are compared with one another."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.gymnasium.telling import Instance, Path, Told

#: Texts, objects and None are numbered from here downwards; the greatest number that is told as it is.
_CODES, _GREATEST = -1e15, 2**64

Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class RandomEpisode:
    """An episode of random play.

    Attributes:
        told: what was said before each move, and after the last.
        rewards: what each move was paid.
        over: whether it ended, and was not given up.
    """

    told: Sequence[Told]
    rewards: Sequence[float]
    over: bool


class Play:
    """Random play as one table: a row for each situation, a column for each value."""

    def __init__(self, episodes: Sequence[RandomEpisode]) -> None:
        # `reset` may not say all that `step` does.
        later = [told for episode in episodes for told in episode.told[1:-1]]
        sizes = {path: np.size(value) for path, value in later[0].items()} if later else {}
        kept = [path for path, size in sizes.items() if _varies([told.get(path) for told in later], size)]
        self._originals: dict[tuple[Path, float], Any] = {}
        self._codes: dict[Any, float] = {}
        columns = [
            np.concatenate([self._column(episode.told, path, sizes[path]) for episode in episodes])
            for path in kept
        ]
        rows = sum(len(episode.told) for episode in episodes)
        self.matrix: Matrix = np.hstack(columns) if columns else np.zeros((rows, 0))
        self.paths: list[Path] = []
        for path, column in zip(kept, columns, strict=True):
            width = column.shape[1]
            is_array = isinstance(later[0][path], np.ndarray)
            self.paths += [(*path, i) for i in range(width)] if is_array else [path]
        starts = np.cumsum([0, *(len(episode.told) for episode in episodes)])
        self.before = np.concatenate(
            [np.arange(a, b - 1) for a, b in itertools.pairwise(starts)] or [np.zeros(0, int)]
        ).astype(int)
        self.move = np.concatenate([np.arange(len(e.rewards)) for e in episodes] or [np.zeros(0, int)])
        self.reward = np.array([reward for episode in episodes for reward in episode.rewards])
        self.last = np.array(
            [
                episode.over and number == len(episode.rewards) - 1
                for episode in episodes
                for number in range(len(episode.rewards))
            ],
            dtype=bool,
        )
        self.totals = [sum(episode.rewards) for episode in episodes if episode.over]

    def _column(self, told: Sequence[Told], path: Path, size: int) -> Matrix:
        """The values of an episode in figures; of what is not there after its end, NaN."""
        rows = np.full((len(told), size), np.nan)
        instances: dict[Instance, int] = {}
        for row, situation in enumerate(told):
            value = situation.get(path)
            if isinstance(value, Instance):  # others in each episode: in the order in which they appear
                value = ("object", instances.setdefault(value, len(instances)))
            if isinstance(value, np.ndarray):
                if value.size == size:
                    rows[row] = value
            elif isinstance(value, int | float) and abs(value) < _GREATEST:
                rows[row] = value
                self._originals[path, value] = value
            elif path in situation and size == 1:
                code = self._codes.setdefault(value, _CODES - len(self._codes))
                self._originals[path, code] = value
                rows[row] = code
        return rows

    def value(self, column: int, figure: float) -> Any:
        """What a figure of a column stands for."""
        return self._originals.get((self.paths[column], figure), int(figure))

    def changed(self) -> Flags:
        """Which values each move has changed."""
        following = self.matrix[self.before + 1]
        changed: Flags = (self.matrix[self.before] != following) & ~np.isnan(following)
        return changed


def _varies(values: Sequence[Any], size: int) -> bool:
    """Whether a value changes at all, and is always there and of one size."""
    if size != 1 or isinstance(values[0], np.ndarray):
        return all(np.size(value) == size for value in values)
    if any(value is None or isinstance(value, np.ndarray) for value in values):
        return False
    return values.count(values[0]) < len(values)
