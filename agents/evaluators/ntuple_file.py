"""Defines the file of an n-tuple network: its patterns, its weights as whole numbers, and its origin.

The file is a NumPy .npz archive with one JSON text, `about`, and the weights: `where` has a bit for each
weight, set if it is not 0. `low` and `high` hold the two bytes of each weight that is not 0.
"""

import hashlib
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import opened_archive, save_archive
from starspiel.agents.evaluators.network_file import check_sum
from starspiel.envs.errors import StarspielError

FORMAT = 3
Weights = NDArray[np.int16]

#: Limits of the native core: the cells of a pattern, the runs of neighbours among them, and the patterns.
_MOST_CELLS, _MOST_RUNS, _MOST_PATTERNS = 7, 3, 16


@dataclass(frozen=True)
class NTupleFile:
    """The contents of an n-tuple network's file.

    Attributes:
        patterns: the cells of each pattern, numbered 4 * row + column, ascending.
        weights: for each pattern, a weight for each content of its cells, 16 to the power of their number. In
            the index, the first cell counts 1, the next 16 and so on. A cell's content is the logarithm of
            its tile, at most 15.
        base, unit: the value of a board after a move, in points to come, is base + unit * the sum of its
            weights.
        made: how it was made.
    """

    game: str
    rows: int
    columns: int
    patterns: tuple[tuple[int, ...], ...]
    weights: Weights
    base: float
    unit: float
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def checksum(self) -> str:
        """SHA-256 checksum of the weights and of the data that give them their meaning."""
        meaning = [self.rows, self.columns, [list(cells) for cells in self.patterns], self.base, self.unit]
        digest = hashlib.sha256(json.dumps(meaning).encode())
        for part in packed(self.weights).values():
            digest.update(part.data)
        return digest.hexdigest()

    def save(self, path: str | Path) -> None:
        """Writes the file atomically. Raises StarspielError if it cannot be written."""
        names = ("game", "rows", "columns", "patterns", "base", "unit", "made", "checksum")
        about = {"format": FORMAT} | {name: getattr(self, name) for name in names}
        save_archive(Path(path), about, packed(self.weights), what="the network")


def packed(weights: Weights) -> dict[str, NDArray[Any]]:
    """Returns the arrays of a file for these weights."""
    held = weights[weights != 0]
    return {
        "where": np.packbits(weights != 0),
        "low": (held & 255).astype(np.uint8),
        "high": (held >> 8).astype(np.int8),
    }


def _unpacked(held: Any, count: int) -> Weights:
    weights = np.zeros(count, np.int16)
    weights[np.unpackbits(held["where"], count=count).astype(bool)] = (
        held["low"] | held["high"].astype(np.int16) << 8
    )
    return weights


def read_ntuples(path: str | Path) -> NTupleFile:
    """Reads the file of an n-tuple network. Raises StarspielError if it is none, missing or damaged."""
    otherwise = "holds no n-tuple network ({error}); `starspiel train star_2048` writes one."
    with opened_archive(path, "the network", otherwise) as (about, held):
        if "encoder" in about:
            raise StarspielError(f"{path} holds no n-tuples, but a network, which net(file=…) reads.")
        if about["format"] != FORMAT and "patterns" in about:
            raise StarspielError(
                f"{path} holds n-tuples of format {about['format']}; this version reads format {FORMAT}."
            )
        patterns = tuple(tuple(int(cell) for cell in cells) for cells in about["patterns"])
        rows, columns = int(about["rows"]), int(about["columns"])
        _check_patterns(path, patterns, rows, columns)
        count = sum(16 ** len(cells) for cells in patterns)
        weights = _unpacked(held, count)
        base, unit = float(about["base"]), float(about["unit"])
        if not (math.isfinite(base) and math.isfinite(unit) and unit > 0):
            raise StarspielError(
                f"{path}: expected a finite base and a unit above 0, got {base:g} and {unit:g}."
            )
        network = NTupleFile(
            str(about["game"]), rows, columns, patterns, weights, base, unit, dict(about["made"])
        )
        check_sum(path, network.checksum, about)
    return network


def _check_patterns(path: str | Path, patterns: tuple[tuple[int, ...], ...], rows: int, columns: int) -> None:
    """Raises StarspielError for patterns that the native core does not support."""
    on_board = {4 * row + column for row in range(rows) for column in range(columns)}
    fits = 1 <= rows <= 4 and 1 <= columns <= 4 and 1 <= len(patterns) <= _MOST_PATTERNS
    for cells in patterns:
        fits &= 1 <= len(cells) <= _MOST_CELLS and on_board.issuperset(cells)
        fits &= list(cells) == sorted(set(cells))
        fits &= sum(cell - 1 not in cells for cell in cells) <= _MOST_RUNS
    if not fits:
        raise StarspielError(
            f"{path}: the patterns do not lie on a board of {rows} x {columns}, each in three runs of "
            "neighbours at most."
        )
