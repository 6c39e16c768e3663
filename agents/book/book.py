"""Provides `Book`: moves by the keys of positions, its file format, and search results from it."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import archive_path, opened_archive, read_once, save_archive
from starspiel.agents.search.result import BOOK, SearchResult, Statistics
from starspiel.agents.solve.solution import key_hash, place_of
from starspiel.envs.arguments import file_name
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.named import goes_by
from starspiel.envs.plays import name_of

_FORMAT = 1
_ARRAYS = ("hashes", "actions", "values")


@dataclass(frozen=True)
class Book:
    """The moves of a game's openings.

    Attributes:
        agent: the spec of the agent that found the moves.
        hashes: 64-bit hashes of the keys of the positions, ascending.
        actions: the move at each position.
        values: player 0's values to go, according to the agent; positions with equal keys share them.
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
        """Returns (move, value to go) of a decision node; None if the book does not contain the position."""
        key = game.key(state)
        at = None if key is None else place_of(key_hash(key), self.hashes)
        if at is None or self.actions[at] not in state.legal_actions():
            return None
        return int(self.actions[at]), float(self.values[at])

    def move(self, game: Game, state: Any) -> int | None:
        """Returns the move at a decision node; None if the book does not contain the position."""
        found = self.found(game, state)
        return None if found is None else found[0]

    @property
    def checksum(self) -> str:
        """SHA-256 of the book's contents."""
        arrays = (getattr(self, name) for name in _ARRAYS)
        parts = [self.game.encode(), self.agent.encode(), *(array.tobytes() for array in arrays)]
        return hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).hexdigest()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes an .npz file atomically and returns its path.

        Raises StarspielError if it cannot be written.
        """
        target = archive_path(path, "book")
        about = {"format": _FORMAT, "game": self.game, "agent": self.agent, "checksum": self.checksum}
        save_archive(target, about, {name: getattr(self, name) for name in _ARRAYS}, what="the book")
        return target

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Book":
        """Reads a book from a file. Raises StarspielError if it cannot be read or is damaged."""
        otherwise = "is no file of `starspiel book`, or a damaged one ({error}); make the book again."
        with opened_archive(path, "the book", otherwise) as (about, held):
            if about["format"] != _FORMAT:
                raise ValueError(f"its format is {about['format']}, not {_FORMAT}")
            book = Book(about["game"], about["agent"], **{name: held[name] for name in _ARRAYS})
            if book.checksum != about["checksum"]:
                raise ValueError("its checksum is wrong")
        return book


def book_of(game: Game, given: Any) -> Book:
    """Returns `given` if it is a Book, otherwise the book in the file `given`; it must be for `game`.

    Raises SpecError if `given` is neither a book nor the name of a file, and StarspielError if the book
    cannot be used.
    """
    if isinstance(given, Book):
        book, which = given, "this"
    elif isinstance(given, str | Path):
        which = file_name("book", str(given))
        book = read_once(Book.load, given, "the book")
    else:
        raise SpecError(f"book must name a file that `starspiel book` wrote, got {shown(given)}.")
    if not goes_by(game, book.game):
        raise StarspielError(f"{which} is a book of {book.game}, the game to be played is {game.name}.")
    return book


def answer(book: Book, game: Game, state: Any, *, explain: bool = True) -> SearchResult | None:
    """Returns the book's answer at a decision node as a search result; None if it lacks the position.

    `action_values` contains only the book's move, and `evaluator` is the agent that found it.
    """
    found = book.found(game, state)
    if found is None:
        return None
    action, to_go = found
    collected, scale = game.frame(state)
    value = collected + scale * to_go
    player = state.current_player()
    name = name_of(state, player, action)
    return SearchResult(
        value=value,
        value_to_go=to_go,
        best_action=action,
        best_actions=(action,),
        soonest_actions=(action,),
        action_values={action: value},
        principal_variation=((player, action),),
        player=player,
        depth=0,
        exact=False,
        algorithm=BOOK,
        evaluator=book.agent,
        engine=BOOK,
        statistics=Statistics(),
        notes=(
            f"the position is in the book, so nothing was searched: its move and value are {book.agent}'s.",
        ),
        names={action: name} if explain else {},
        line=(name,) if explain else (),
    )
