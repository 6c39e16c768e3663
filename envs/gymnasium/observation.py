"""Formats an environment's observation as text, with the names of its parts."""

import inspect
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np

#: A table with a column "Observation", as in the documentation of Gymnasium's own environments.
_TABLE = re.compile(r"^ *\|[^\n]*\bObservation\b[^\n]*\|[^\n]*$((?:\n *\|[^\n]*)+)", re.MULTILINE)
#: Parts of an observation that hold the legal actions, which are shown as moves.
_MASKS = ("action_mask", "action_masks", "valid_actions", "legal_actions")
#: Limits above which numbers are only counted: in a list, in a grid, in a stack of grids.
_LIST, _GRID, _GRIDS = 64, 900, 300


def observation_names(env: gymnasium.Env[Any, Any]) -> tuple[str, ...]:
    """Returns the names of an observation's numbers, in order; () unless all are known.

    They are read from a table with a column "Observation" in the docstring of the environment's class.
    """
    space = getattr(env, "observation_space", None)
    if isinstance(space, gymnasium.spaces.Tuple):
        count = len(space.spaces)
    elif isinstance(space, gymnasium.spaces.Box | gymnasium.spaces.MultiDiscrete) and len(space.shape) == 1:
        count = space.shape[0]
    else:
        return ()
    documentation = inspect.getdoc(type(env.unwrapped)) or ""
    for table in _TABLE.finditer(documentation):
        heading = _cells(table[0].partition("\n")[0])
        column = heading.index("Observation") if "Observation" in heading else 0
        rows = [_cells(line) for line in table[1].splitlines() if line.strip(" |:-")]
        names = [row[column] for row in rows if len(row) == len(heading)]
        if len(names) == len(rows) == count == len(set(names)):
            return tuple(names)
    return ()


def in_words(observation: Any, names: Sequence[str] = ()) -> str:
    """Returns an observation as text: a line per named part, grids as grids, long parts by their size."""
    return "\n".join(_lines("observation", observation, names))


def _lines(label: str, value: Any, names: Sequence[str] = ()) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in _MASKS:
                yield from _lines(str(key), part)
    elif isinstance(value, np.ndarray) and value.ndim:
        yield from _array(label, value, names)
    elif isinstance(value, tuple | list):
        if len(value) == len(names):
            for name, part in zip(names, value, strict=True):
                yield from _lines(name, part)
        elif all(_is_number(part) for part in value):
            yield f"{label}: {_row(value)}"
        else:
            for number, part in enumerate(value):
                yield from _lines(f"{label} {number}", part)
    elif value is not None:
        yield f"{label}: {_number(value) if _is_number(value) else value}"


def _array(label: str, array: np.ndarray[Any, Any], names: Sequence[str]) -> Iterator[str]:
    if array.dtype.kind not in "biuf":
        yield f"{label}: {array.tolist()}"
    elif array.ndim == 1:
        if len(array) == len(names):
            yield from (f"{name}: {_number(part)}" for name, part in zip(names, array, strict=True))
        else:
            yield f"{label}: {_row(array)}"
    elif array.ndim == 2 and array.size <= _GRID:
        yield f"{label}:"
        yield from _grid(array)
    elif array.ndim == 3 and array.size <= _GRIDS:
        for number in range(array.shape[2]):
            yield f"{label} [:, :, {number}]:"
            yield from _grid(array[:, :, number])
    else:
        yield f"{label}: {' x '.join(map(str, array.shape))} numbers ({array.dtype})"


def _grid(array: np.ndarray[Any, Any]) -> Iterator[str]:
    cells = [[_number(number) for number in row] for row in array]
    width = max((len(cell) for row in cells for cell in row), default=0)
    yield from (" ".join(cell.rjust(width) for cell in row) for row in cells)


def _row(numbers: Sequence[Any] | np.ndarray[Any, Any]) -> str:
    if len(numbers) > _LIST:
        return f"{len(numbers)} numbers"
    return " ".join(map(_number, numbers))


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.generic) or (
        isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "biuf"
    )


def _number(value: Any) -> str:
    number = value.item() if isinstance(value, np.generic | np.ndarray) else value
    if isinstance(number, float):
        return f"{number:.4g}" if math.isfinite(number) else str(number)
    return str(int(number)) if isinstance(number, bool) else str(number)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
