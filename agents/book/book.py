"""A book: the moves of positions by their keys, and its file."""

import functools
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import opened_archive, save_archive
from starspiel.agents.solve.solution import key_hash, solution_path
from starspiel.envs.arguments import file_name
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.named import goes_by

_FORMAT = 1


@dataclass(frozen=True)
class Book:
    """The moves of a game's openings.

    Attributes:
        game: the name that `load_game` takes.
        agent: the spec of the agent that found the moves.
        hashes: 64-bit hashes of the keys of the positions, ascending.
        actions: the move of each.
        values: player 0's values to go there, as the agent has them: equal keys share them.
    """

    game: str
    agent: str
    hashes: NDArray[np.uint64]
    actions: NDArray[np.int64]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.hashes)

    def __deepcopy__(self, memo: Any) -> "Book":
        return self  # it never changes

    def found(self, game: Game, state: Any) -> tuple[int, float] | None:
        """(move, value to go) of a decision node; None where the book does not hold the position."""
        key = game.key(state)
        if key is None:
            return None
        wanted = np.uint64(key_hash(key))
        at = int(self.hashes.searchsorted(wanted))
        if at == len(self.hashes) or self.hashes[at] != wanted:
            return None
        action = int(self.actions[at])
        return (action, float(self.values[at])) if action in state.legal_actions() else None

    def move(self, game: Game, state: Any) -> int | None:
        """The move at a decision node; None where the book does not hold the position."""
        found = self.found(game, state)
        return None if found is None else found[0]

    @property
    def checksum(self) -> str:
        """SHA-256 of all that the book says."""
        arrays = (self.hashes, self.actions, self.values)
        parts = [self.game.encode(), self.agent.encode(), *(array.tobytes() for array in arrays)]
        return hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).hexdigest()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the book as a NumPy .npz file and returns its path, which ends so.

        Raises StarspielError where it cannot be written; there is never half a file.
        """
        target = solution_path(path, "book")
        about = {"format": _FORMAT, "game": self.game, "agent": self.agent, "checksum": self.checksum}
        arrays = {"hashes": self.hashes, "actions": self.actions, "values": self.values}
        save_archive(target, about, arrays, what="the book")
        return target

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Book":
        """The book in a file; raises StarspielError where none can be read, or it is damaged."""
        try:
            with opened_archive(path) as file:
                about = json.loads(str(file["about"]))
                if about["format"] != _FORMAT:
                    raise ValueError(f"its format is {about['format']}, not {_FORMAT}")
                arrays = {name: file[name] for name in ("hashes", "actions", "values")}
            book = Book(about["game"], about["agent"], **arrays)
            if book.checksum != about["checksum"]:
                raise ValueError("its checksum is wrong")
        except OSError as error:
            raise StarspielError(f"cannot read the book {path}: {error.strerror or error}.") from None
        except Exception as error:  # a damaged file fails as an archive, an array, JSON, a field
            raise StarspielError(
                f"{path} is no file of `starspiel book`, or a damaged one ({error}); make the book again."
            ) from None
        return book


def book_of(game: Game, given: Any) -> Book:
    """A Book as it is, or the one in a file; it must be of `game`.

    A file is read once as long as it does not change. Raises SpecError where `given` is neither a book nor
    the name of a file, and StarspielError where the file cannot be used.
    """
    book = given if isinstance(given, Book) else _in_file(given)
    if not goes_by(game, book.game):
        which = "this" if isinstance(given, Book) else given
        raise StarspielError(f"{which} is a book of {book.game}, the game to be played is {game.name}.")
    return book


def _in_file(path: Any) -> Book:
    if not isinstance(path, str | Path):
        raise SpecError(f"book must name a file that `starspiel book` wrote, got {shown(path)}.")
    file_name("book", str(path))
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError as error:
        raise StarspielError(f"cannot read the book {path}: {error.strerror}.") from None
    return _read(os.path.realpath(path), changed)


@functools.lru_cache(maxsize=8)
def _read(path: str, changed: int) -> Book:
    return Book.load(path)
