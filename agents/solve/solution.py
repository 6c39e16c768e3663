"""A solved game: the value of every position under perfect play, by key, and its file."""

import dataclasses
import functools
import hashlib
import json
import os
import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import opened_archive, save_archive
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
        game: the name that `load_game` takes.
        value: player 0's expected return at the start.
        states: how many positions were solved, chance nodes and ends among them.
        residual: by how much the values at most miss their own equation, in utility units.
        seconds: what enumerating and solving took.
        hashes: 64-bit hashes of the keys of the decision nodes, ascending.
        values: their values to go, in the same order: what player 0 still gets from there.
        times: in the same order, how many decisions optimal play expects until the end; where the end does
            not come surely, -1 less those until nothing more is to be collected. See agents/solve/times.py.
        made_with: the versions that made it.
    """

    #: What a file says of how its values are found, by which `load` knows the class.
    layout: ClassVar[str] = "hashes"
    _layouts: ClassVar[dict[str, type["Solution"]]] = {}

    game: str
    value: float
    states: int
    residual: float
    seconds: float
    hashes: NDArray[np.uint64]
    values: NDArray[np.float64]
    times: NDArray[np.float64]
    made_with: dict[str, str] = field(default_factory=dict)

    def __init_subclass__(cls) -> None:
        Solution._layouts[cls.layout] = cls

    @functools.cached_property
    def digest(self) -> str:
        """A hash of the game and all values."""
        parts = (self.game.encode(), self.hashes.tobytes(), self.values.tobytes())
        return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()

    def __deepcopy__(self, memo: Any) -> "Solution":
        return self  # it never changes, and may be large

    def __call__(self, game: Game, state: Any) -> float:
        """Player 0's expected return from `state` on, what was collected before included.

        Raises StarspielError for a position that is not in the solution.
        """
        player = state.current_player()
        if player == TERMINAL:
            return float(state.returns()[0])
        if player == CHANCE:
            return float(sum(p * self(game, state.child(a)) for a, p in possible_outcomes(state)))
        collected, scale = game.frame(state)
        return collected + scale * float(self.values[self._place(game.key(state), state)])

    def time(self, game: Game, state: Any) -> tuple[bool, float]:
        """(whether the end may never come, the decisions that optimal play expects) from `state` on.

        Where the end may never come, those are counted until nothing more is to be collected.

        Raises StarspielError for a position that is not in the solution.
        """
        player = state.current_player()
        if player == TERMINAL:
            return False, 0.0
        if player == CHANCE:
            times = [(p, *self.time(game, state.child(a))) for a, p in possible_outcomes(state)]
            return any(endless for _, endless, _ in times), float(sum(p * time for p, _, time in times))
        time = float(self.times[self._place(game.key(state), state)])
        return time < 0.0, time if time >= 0.0 else -1.0 - time

    def _place(self, key: Hashable, state: Any) -> int:
        """Where the position stands in the arrays."""
        at = self._index(key)
        if at is None and isinstance(key, Counted):
            # Solved without its cut-off, the game has the value of the position, however near the cut-off is.
            at = self._index(key.position)
        if at is None:
            raise StarspielError(f"the solution of {self.game} has no value for the position\n{state}")
        return at

    def _index(self, key: Hashable) -> int | None:
        wanted = np.uint64(key_hash(key))
        at = int(self.hashes.searchsorted(wanted))
        return at if at < len(self.hashes) and self.hashes[at] == wanted else None

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the solution as a NumPy .npz file and returns its path, which ends so.

        Raises StarspielError where it cannot be written; there is never half a file.
        """
        target = solution_path(path)
        about = {"format": _FORMAT, "layout": self.layout} | {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in _ARRAYS
        }
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        save_archive(target, about, arrays, what="the solution", compressed=False)
        return target

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Solution":
        """The solution in a file; raises StarspielError where there is none that can be read."""
        try:
            with opened_archive(path) as file:
                about = json.loads(str(file["about"]))
                current = about.pop("format") == _FORMAT
                arrays = {name: file[name] for name in _ARRAYS if current}
            layout = Solution._layouts.get(about.pop("layout", Solution.layout), Solution)
            solution = layout(**arrays, **about) if current else None
        except OSError as error:
            raise StarspielError(f"cannot read the solution {path}: {error.strerror or error}.") from None
        except Exception as error:  # a damaged file fails as an archive, an array, JSON, a field
            raise StarspielError(
                f"{path} is no solution file of `starspiel solve`, or a damaged one ({error}); "
                "solve the game again."
            ) from None
        if solution is None:
            raise StarspielError(f"{path} was written by another version of starspiel; solve the game again.")
        return solution

    def __str__(self) -> str:
        return (
            f"{self.game}: value {self.value:.12g} over {self.states:,} states, "
            f"residual {self.residual:.1e}, {self.seconds:.1f} s"
        )


def solution_path(path: str | os.PathLike[str], what: str = "solution") -> Path:
    """Where a solution, or another such file, for `path` is written: `path`, ending in .npz.

    Raises StarspielError where no file can be written there.
    """
    target = Path(path).expanduser()
    if not target.name or target.is_dir():
        raise StarspielError(f"cannot write the {what} to {str(path)!r}: that is a folder.")
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    if not target.parent.is_dir():
        raise StarspielError(f"cannot write {target}: there is no folder {target.parent}.")
    if target.is_dir():
        raise StarspielError(f"cannot write {target}: that is a folder.")
    if not os.access(target.parent, os.W_OK):
        raise StarspielError(f"cannot write {target}: the folder {target.parent} is not writable.")
    return target


def key_hash(key: Hashable) -> int:
    """64 bits of a key that are the same in every process, and the same for equal keys.

    Raises StarspielError for a key with a part whose text does not tell what it is.
    """
    return int.from_bytes(hashlib.blake2b(_canonical(key).encode(), digest_size=8).digest(), "little")


_PLAIN = frozenset({int, str, bytes, type(None)})
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def _canonical(key: Any) -> str:
    """The key as text, the same text for equal keys: 1, 1.0, True and NumPy's 1 are equal, and so are a tuple
    and a named tuple."""
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
    if isinstance(key, frozenset):  # whose own order differs from process to process
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
    """The solution in a file, which must be that of `game`; read once as long as the file does not change."""
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError as error:
        raise StarspielError(f"cannot read the solution {path}: {error.strerror}.") from None
    solution = _read(os.path.realpath(path), changed)
    if not goes_by(game, solution.game):
        raise StarspielError(f"{path} solves {solution.game}, the game to be played is {game.name}.")
    return solution


@functools.lru_cache(maxsize=4)
def _read(path: str, changed: int) -> Solution:
    return Solution.load(path)


def versions() -> dict[str, str]:
    """Those of what a solution depends on."""
    return {name: version(name) for name in ("starspiel", "open_spiel")}
