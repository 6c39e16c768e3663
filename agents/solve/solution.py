"""Provides `Solution`: the values of a solved game's positions, by key, and its file."""

import dataclasses
import hashlib
import os
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import archive_path, opened_archive, read_once, save_archive
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import StarspielError
from starspiel.envs.named import goes_by
from starspiel.envs.openspiel.keys import Counted

_FORMAT = 3
_ARRAYS = ("hashes", "values", "times")


@dataclass(frozen=True)
class Solution:
    """The exact values of a game's decision nodes.

    Attributes:
        game: a name that `load_game` accepts.
        value: player 0's expected return at the start.
        states: number of positions solved, including chance nodes and terminal positions.
        residual: the greatest error in the values' own equations, in utility units.
        hashes: 64-bit hashes of the keys of the decision nodes, ascending.
        values: their values to go, in the same order: what player 0 is still to collect.
        times: in the same order, the expected number of decisions in optimal play: see agents/solve/times.py.
        made_with: the package versions that made it.
        in_core: whether `hashes` are the native core's hashes of positions instead of hashes of keys.
    """

    #: How values are looked up; stored in the file, so that `load` can choose the class.
    layout: ClassVar[str] = "hashes"
    _layouts: ClassVar[dict[str, type["Solution"]]] = {}

    game: str
    value: float
    states: int
    residual: float
    seconds: float
    hashes: NDArray[np.uint64] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)
    times: NDArray[np.float64] = field(repr=False)
    made_with: dict[str, str] = field(default_factory=dict)
    in_core: bool = False

    def __init_subclass__(cls) -> None:
        Solution._layouts[cls.layout] = cls

    @cached_property
    def digest(self) -> str:
        """A hash of the game and all values."""
        parts = (self.game.encode(), self.hashes.tobytes(), self.values.tobytes())
        return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()

    def __deepcopy__(self, memo: Any) -> "Solution":
        return self  # immutable and possibly large

    def __call__(self, game: Game, state: Any) -> float:
        """Returns player 0's expected return of the whole game from `state` on.

        Raises StarspielError for a position that is not in the solution.
        """
        player = state.current_player()
        if player == TERMINAL:
            return float(state.returns()[0])
        if player == CHANCE:
            try:
                return float(sum(p * self(game, state.child(a)) for a, p in possible_outcomes(state)))
            except RecursionError:
                raise self._endless_chance(state) from None
        collected, scale = game.frame(state)
        return collected + scale * float(self.values[self._place(game, state)])

    def _endless_chance(self, state: Any) -> StarspielError:
        return StarspielError(
            f"the solution of {self.game} holds values of decisions, and chance events follow each "
            f"other without end from the position\n{state}\nLet a player pass in between."
        )

    def time(self, game: Game, state: Any) -> tuple[bool, float]:
        """Returns (whether play may never end, the expected number of decisions in optimal play) from `state`
        on.

        Raises StarspielError for a position that is not in the solution.
        """
        player = state.current_player()
        if player == TERMINAL:
            return False, 0.0
        if player == CHANCE:
            times = [(p, *self.time(game, state.child(a))) for a, p in possible_outcomes(state)]
            return any(endless for _, endless, _ in times), float(sum(p * time for p, _, time in times))
        time = float(self.times[self._place(game, state)])
        return time < 0.0, time if time >= 0.0 else -1.0 - time

    def _place(self, game: Game, state: Any) -> int:
        """Returns the index of the position in the arrays."""
        # If the game was solved without its cut-off, the value is that of the position, however near the
        # cut-off.
        if self.in_core:
            core = core_of_solution(self.game)
            known_by: Sequence[int] = core.position_hashes(for_core(core, state))
        else:
            key = game.key(state)
            known_by = [*map(key_hash, (key, key.position) if isinstance(key, Counted) else (key,))]
        for known in known_by:
            at = place_of(known, self.hashes)
            if at is not None:
                return at
        raise StarspielError(f"the solution of {self.game} has no value for the position\n{state}")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes an .npz file atomically and returns its path.

        Raises StarspielError if it cannot be written.
        """
        target = archive_path(path, "solution")
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        arrays = {name: fields.pop(name) for name in _ARRAYS}
        about = {"format": _FORMAT, "layout": self.layout} | fields
        save_archive(target, about, arrays, what="the solution", compressed=False)
        return target

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Solution":
        """Reads a solution. Raises StarspielError if the file cannot be read."""
        otherwise = (
            "is no solution file of `starspiel solve`, or a damaged one ({error}); solve the game again."
        )
        with opened_archive(path, "the solution", otherwise) as (about, held):
            if about.pop("format") != _FORMAT and "hashes" in held:  # other kinds of files have no hashes
                raise StarspielError(
                    f"{path} was written by another version of starspiel; solve the game again."
                )
            arrays = {name: held[name] for name in _ARRAYS}
            layout = Solution._layouts.get(about.pop("layout", Solution.layout), Solution)
            return layout(**arrays, **about)

    def __str__(self) -> str:
        return (
            f"{self.game}: value {round(self.value, 12) + 0.0:.12g} over {self.states:,} states, "
            f"residual {self.residual:.1e}, {self.seconds:.1f} s"
        )


def core_of_solution(solved: str) -> Any:
    """Returns the native core, to read a solution made by it. Raises StarspielError if it is missing."""
    status = native_status()
    if status.module is None:
        raise StarspielError(
            f"the solution of {solved} was made by the native core, by which alone it is read: "
            f"{status.reason} Solve the game again."
        )
    return status.module


def place_of(known_by: int, hashes: NDArray[np.uint64]) -> int | None:
    """Returns the index of a position's hash among ascending hashes; None if it is missing."""
    wanted = np.uint64(known_by)
    at = int(hashes.searchsorted(wanted))
    return at if at < len(hashes) and hashes[at] == wanted else None


def key_hash(key: Hashable) -> int:
    """Returns 64 bits of a hash of a key that is the same in every process.

    Raises StarspielError if the key's text does not identify it.
    """
    return int.from_bytes(hashlib.blake2b(_canonical(key).encode(), digest_size=8).digest(), "little")


_PLAIN = frozenset({int, str, bytes, type(None)})
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def _canonical(key: Any) -> str:
    """Returns the key as text, the same for equal keys: for 1, 1.0, True and NumPy's 1; and for a tuple and a
    named tuple.
    """
    kind = type(key)
    if kind in _PLAIN or (kind is tuple and _PLAIN.issuperset(map(type, key))):
        return repr(key)
    if isinstance(key, np.number | np.bool_):
        key = key.item()
    if isinstance(key, int):
        return repr(int(key))
    if isinstance(key, float):
        return repr(int(key) if key.is_integer() else float(key))
    if isinstance(key, str):
        return str.__repr__(key)
    if isinstance(key, tuple):
        return f"({', '.join(map(_canonical, key))}{',' if len(key) == 1 else ''})"
    if isinstance(key, frozenset):  # its own order differs from process to process
        return f"frozenset({sorted(map(_canonical, key))})"
    if dataclasses.is_dataclass(key) and not isinstance(key, type):
        compared = tuple(getattr(key, field.name) for field in dataclasses.fields(key) if field.compare)
        return f"{kind.__qualname__}{_canonical(compared)}"
    text = repr(key)
    if _ADDRESS.search(text):
        raise StarspielError(
            f"a position's key has a part of type {kind.__qualname__} that shows as {text}, which differs "
            "from run to run; give the class a __repr__ that tells what __eq__ compares, or make it a frozen "
            "dataclass or a tuple of numbers and text."
        )
    return text


def solution_of(game: Game, path: str | os.PathLike[str]) -> Solution:
    """Returns the solution of `game` in a file; cached until the file changes. Raises StarspielError if it is
    of another game.
    """
    solution = read_once(Solution.load, path, "the solution")
    if not goes_by(game, solution.game):
        raise StarspielError(f"{path} solves {solution.game}, the game to be played is {game.name}.")
    return solution


def versions() -> dict[str, str]:
    """Returns the versions of the packages on which a solution depends."""
    return {name: version(name) for name in ("starspiel", "open_spiel")}
