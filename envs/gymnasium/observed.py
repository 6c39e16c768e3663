"""Records random play of an environment as a table: a row for each situation, a column for each value.

Values are looked for wherever an environment may keep them: in attributes, items, info and the observation.
Each goes by its path: `("env", "board", "turn")`, `("info", "next_player")`, `("observation", 4)`.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import BuiltinFunctionType, MethodType
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from starspiel.envs.gymnasium.cloning.clone import After
from starspiel.envs.gymnasium.cloning.copying import is_of_library
from starspiel.envs.gymnasium.cloning.dice import GENERATORS, OPAQUE, PLAIN

#: How to get to a value: where it was told, then attributes, keys and indices.
Path = tuple[Any, ...]
#: What is said of a situation: numbers, texts, True, False, or an `Instance`, by path.
Told = dict[Path, Any]
Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Values of an array, items of a container, and values in all that are looked at; how deep they may lie.
_CELLS, _ITEMS, _VALUES, _DEPTH = 800, 64, 1500, 5
_NO_VALUES = (*OPAQUE, *GENERATORS, gymnasium.Space, gymnasium.Env, MethodType, BuiltinFunctionType)
#: Texts and objects are numbered from here downwards; the greatest number that is told as it is.
_CODES, _GREATEST = -1e15, 2**64


class Attribute(str):
    """An attribute's name in a path, where a plain text is a key."""

    __slots__ = ()


@dataclass(frozen=True)
class Instance:
    """An object that a value refers to, known by its identity within an episode."""

    held: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and self.held is other.held

    def __hash__(self) -> int:
        return id(self.held)


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


def in_words(path: Path, env: str = "") -> str:
    """A path as code; with `env`, code for an attribute of the environment so called."""
    root, *rest = path
    said = env if root in ("env", "wrapper") else str(root)
    for part in rest:
        if part == "flat" and isinstance(part, Attribute) and not env:
            continue
        if part is len:
            said = f"len({said})"
        elif isinstance(part, Attribute):
            said += f".{part}" if said else part
        else:
            said += f"[{part!r}]"
    return said


def told(at: After) -> Told:
    """All values of a situation, copied so that later steps do not change them."""
    found: Told = {}
    for path, value in _values(at):
        if not isinstance(value, np.ndarray):
            found[path] = value
        elif len(found) + value.size <= _VALUES:
            found.update(((*path, number), cell) for number, cell in enumerate(value.tolist()))
        if len(found) >= _VALUES:
            break
    return found


def _values(at: After) -> Iterator[tuple[Path, Any]]:
    layer: Any = at.env
    ahead: deque[tuple[Path, Any]] = deque()
    while isinstance(layer, gymnasium.Wrapper):
        if not is_of_library(type(layer)):
            ahead += ((("wrapper", key), value) for key, value in _attributes(layer))
        layer = layer.env
    ahead += ((("env", key), value) for key, value in _attributes(layer) if key != "P")  # a table
    ahead += ((("info", key), value) for key, value in at.info.items())
    ahead.append((("observation",), at.observation))
    seen: set[int] = set()
    while ahead:
        path, value = ahead.popleft()
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
            value = value.item()
        if isinstance(value, Enum):
            yield path, value.name
        elif type(value) in PLAIN:
            if value is not None:
                yield path, value
        elif isinstance(value, np.ndarray):
            if value.dtype.kind in "biuf" and value.size <= _CELLS:
                yield path if value.ndim == 1 else (*path, Attribute("flat")), value.astype(float).ravel()
        elif not isinstance(value, _NO_VALUES):
            yield path, Instance(value)
            if isinstance(value, list | set | deque | dict):
                yield (*path, len), len(value)
            if id(value) not in seen and len(path) < _DEPTH:
                seen.add(id(value))
                ahead += (((*path, key), part) for key, part in _parts(value))


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """The items of a container, or the attributes of an object, each with its key or name."""
    if isinstance(value, Mapping):
        if len(value) <= _ITEMS:
            yield from ((key, part) for key, part in value.items() if isinstance(key, str | int | tuple))
    elif isinstance(value, list | tuple | deque):
        if len(value) <= _ITEMS:
            yield from enumerate(value)
    else:
        yield from _attributes(value)


def _attributes(value: Any) -> Iterator[tuple[Attribute, Any]]:
    """What an object holds, and what its slots and properties say."""
    held = getattr(value, "__dict__", {})
    yield from ((Attribute(name), part) for name, part in held.items() if name != "env")
    for cls in type(value).__mro__:
        if is_of_library(cls):
            continue
        slots = vars(cls).get("__slots__", ())
        properties = [name for name, part in vars(cls).items() if isinstance(part, property)]
        for name in (*((slots,) if isinstance(slots, str) else slots), *properties):
            try:
                yield Attribute(name), getattr(value, name)
            except Exception:  # whatever a user's property raises; it says nothing then
                continue


class Play:
    """Random play as one table.

    Attributes:
        matrix: the values in figures, NaN for what is not there; texts and objects are numbered.
        paths: of the columns.
        before: the row of the situation before each move; the one after it follows.
        move: the number of each move in its episode.
        reward, last: what each move was paid, and whether it ended the episode.
        totals: what each episode that has ended paid.
    """

    def __init__(self, episodes: Sequence[RandomEpisode]) -> None:
        # `reset` may not say all that `step` does.
        later = [told for episode in episodes for told in episode.told[1:-1]]
        paths = [path for path in (later[0] if later else ()) if all(path in told for told in later)]
        self._originals: dict[tuple[Path, float], Any] = {}
        self._codes: dict[Any, float] = {}
        rows: list[list[float]] = []
        before: list[int] = []
        inside: list[int] = []
        for episode in episodes:
            begin = len(rows)
            instances: dict[Path, dict[Instance, int]] = {}
            for told in episode.told:
                rows.append([self._figure(path, told.get(path), instances) for path in paths])
            before += range(begin, len(rows) - 1)
            inside += range(begin + 1, len(rows) - 1)
        matrix: Matrix = np.array(rows, dtype=float).reshape(len(rows), len(paths))
        is_cell = np.array([isinstance(path[-1], int) for path in paths], dtype=bool)
        varies = (matrix[inside] != matrix[inside[:1]]).any(axis=0) if inside else is_cell
        self.matrix = matrix[:, is_cell | varies]
        self.paths = [paths[column] for column in np.flatnonzero(is_cell | varies)]
        self.before = np.array(before, dtype=int)
        moves = [(e, number) for e in episodes for number in range(len(e.rewards))]
        self.move = np.array([number for _, number in moves], dtype=int)
        self.reward = np.array([e.rewards[number] for e, number in moves])
        self.last = np.array([e.over and number == len(e.rewards) - 1 for e, number in moves], dtype=bool)
        self.totals = [sum(episode.rewards) for episode in episodes if episode.over]

    def _figure(self, path: Path, value: Any, instances: dict[Path, dict[Instance, int]]) -> float:
        if value is None:
            return np.nan
        if isinstance(value, int | float) and abs(value) < _GREATEST:
            figure = float(value)
        else:
            if isinstance(value, Instance):  # others in each episode: in the order in which they appear
                known = instances.setdefault(path, {})
                value = ("object", known.setdefault(value, len(known)))
            figure = self._codes.setdefault(value, _CODES - len(self._codes))
        self._originals[path, figure] = value
        return figure

    def value(self, column: int, figure: float) -> Any:
        """What a figure of a column stands for."""
        return self._originals.get((self.paths[column], figure), int(figure))

    def changed(self) -> Flags:
        """Which values each move has changed."""
        following = self.matrix[self.before + 1]
        changed: Flags = (self.matrix[self.before] != following) & ~np.isnan(following)
        return changed

    def steps(self, column: int) -> list[float]:
        """By how much moves change a value that they change."""
        after = self.matrix[self.before[self.changed()[:, column]] + 1, column]
        steps = after - self.matrix[self.before[self.changed()[:, column]], column]
        return sorted(set(steps.tolist()))
