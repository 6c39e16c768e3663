"""A solved game: the value of every position under perfect play, by key, and its file."""

import functools
import hashlib
import json
import os
from collections.abc import Hashable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.openspiel_keys import Counted

_FORMAT = 1


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
        made_with: the versions that made it.
    """

    game: str
    value: float
    states: int
    residual: float
    seconds: float
    hashes: NDArray[np.uint64]
    values: NDArray[np.float64]
    made_with: dict[str, str] = field(default_factory=dict)

    def __call__(self, game: Game, state: Any) -> float:
        """Player 0's expected return from `state` on, what was collected before included.

        Raises StarspielError for a position that is not in the solution.
        """
        player = state.current_player()
        if player == TERMINAL:
            return float(state.returns()[0])
        if player == CHANCE:
            return float(sum(p * self(game, state.child(a)) for a, p in state.chance_outcomes()))
        collected, scale = game.frame(state)
        return collected + scale * self._value_to_go(game.key(state), state)

    def _value_to_go(self, key: Hashable, state: Any) -> float:
        at = self._index(key)
        if at is None and isinstance(key, Counted):
            # Solved without its cut-off, the game has the value of the position, however near the cut-off is.
            at = self._index(key.position)
        if at is None:
            raise StarspielError(f"the solution of {self.game} has no value for the position\n{state}")
        return float(self.values[at])

    def _index(self, key: Hashable) -> int | None:
        wanted = np.uint64(key_hash(key))
        at = int(self.hashes.searchsorted(wanted))
        return at if at < len(self.hashes) and self.hashes[at] == wanted else None

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the solution as a NumPy .npz file and returns its path, which ends so.

        Raises StarspielError where it cannot be written; there is never half a file.
        """
        about = {
            "format": _FORMAT,
            "game": self.game,
            "value": self.value,
            "states": self.states,
            "residual": self.residual,
            "seconds": self.seconds,
            "made_with": self.made_with,
        }
        target = Path(path)
        if target.suffix != ".npz":
            target = target.with_name(target.name + ".npz")
        unfinished = target.with_name(target.name + ".part")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, about=np.array(json.dumps(about)), hashes=self.hashes, values=self.values)
            unfinished.replace(target)
        except OSError as error:
            raise StarspielError(f"cannot write the solution to {target}: {error.strerror}.") from None
        return target

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Solution":
        """The solution in a file; raises StarspielError where there is none that can be read."""
        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                hashes, values = file["hashes"], file["values"]
        except OSError as error:
            raise StarspielError(f"cannot read the solution {path}: {error.strerror or error}.") from None
        except (ValueError, KeyError) as error:
            raise StarspielError(f"{path} is no solution file of `starspiel solve`: {error}.") from None
        if about.pop("format") != _FORMAT:
            raise StarspielError(f"{path} was written by another version of starspiel; solve the game again.")
        return Solution(hashes=hashes, values=values, **about)

    def __str__(self) -> str:
        return (
            f"{self.game}: value {self.value:.12g} over {self.states:,} states, "
            f"residual {self.residual:.1e}, {self.seconds:.1f} s"
        )


def key_hash(key: Hashable) -> int:
    """64 bits of a key that are the same in every process."""
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "little")


def solution_of(game: Game, path: str | os.PathLike[str]) -> Solution:
    """The solution in a file, which must be that of `game`; read once as long as the file does not change."""
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError as error:
        raise StarspielError(f"cannot read the solution {path}: {error.strerror}.") from None
    solution = _read(os.path.realpath(path), changed)
    if solution.game != game.name:
        raise StarspielError(f"{path} solves {solution.game}, the game to be played is {game.name}.")
    return solution


@functools.lru_cache(maxsize=4)
def _read(path: str, changed: int) -> Solution:
    return Solution.load(path)


def versions() -> dict[str, str]:
    """Those of what a solution depends on."""
    return {name: version(name) for name in ("starspiel", "open_spiel")}
