"""Provides agents with a book, which play the book's moves, and their own in other positions."""

from typing import Any

from starspiel.agents.book.book import Book, answer, book_of
from starspiel.agents.bot import Bot, Policy, check_turn, provides_policy, tell
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.result import SearchResult
from starspiel.envs.base import Game


class BookBot(Bot):
    """Plays the book's moves, and another bot's in positions that the book lacks.

    Attributes:
        outside: the other bot, which is informed of every move.
    """

    _in_book = False

    def __init__(self, game: Game, bot: Any, book: Book) -> None:
        super().__init__()
        self._game, self.outside, self._book = game, bot, book

    def __repr__(self) -> str:
        return f"<book bot for {self._game.name}, outside the book {self.outside!r}>"

    def answer(self, state: Any) -> SearchResult | None:
        """Returns the book's answer at a decision node; None if it does not contain the position."""
        check_turn(state, self._game)
        return answer(self._book, self._game, state)

    @property
    def last_result(self) -> Any:
        """The result of the other bot's last search; None if the last move came from the book or without a
        search.
        """
        return None if self._in_book else getattr(self.outside, "last_result", None)

    def step(self, state: Any) -> int:
        move = self._move(state)
        return self._others(int(self.outside.step(state))) if move is None else self._played(state, move)

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        move = self._move(state)
        if move is not None:
            return _surely(state, move), self._played(state, move)
        policy, action = self.outside.step_with_policy(state)
        return policy, self._others(int(action))

    def get_policy(self, state: Any) -> Policy:
        move = self._move(state)
        policy: Policy = self.outside.get_policy(state) if move is None else _surely(state, move)
        return policy

    def provides_policy(self) -> bool:
        return provides_policy(self.outside)

    def move_values(self, state: Any) -> dict[int, float] | None:
        outside = getattr(self.outside, "move_values", None)  # a book values one move only
        values: dict[int, float] | None = outside(state) if callable(outside) else None
        return values

    def restart(self) -> None:
        tell(self.outside, "restart")
        self._in_book, self.last_nodes = False, None

    def restart_at(self, state: Any) -> None:
        tell(self.outside, "restart_at", state)
        self._in_book, self.last_nodes = False, None

    def inform_action(self, state: Any, player: int, action: int) -> None:
        tell(self.outside, "inform_action", state, player, action)

    def is_clonable(self) -> bool:
        return isinstance(self.outside, Bot)

    def _move(self, state: Any) -> int | None:
        check_turn(state, self._game)
        move = self._book.move(self._game, state)
        self._in_book = move is not None
        return move

    def _others(self, action: int) -> int:
        self.last_nodes = getattr(self.outside, "last_nodes", None)
        return action

    def _played(self, state: Any, move: int) -> int:
        """Informs the other bot of the book's move, if it tracks the game."""
        self.last_nodes = 0
        if not isinstance(self.outside, Bot):
            tell(self.outside, "force_action", state, move)
        return move


def _surely(state: Any, move: int) -> Policy:
    return [(action, float(action == move)) for action in state.legal_actions()]


class BookSearchBot(BookBot):
    """A BookBot around a searching bot, with a `search` that answers from the book first."""

    def search(self, state: Any, *, limits: Limits | None = None, **options: Any) -> SearchResult:
        """Returns the book's answer, or that of the SearchBot's `search` if the book lacks the position."""
        searching: SearchBot = self.outside
        return self.answer(state) or searching.search(state, limits=limits, **options)


#: A bot that has a `search`, with or without a book.
Searcher = SearchBot | BookSearchBot


def with_book(game: Game, bot: Any, book: Any) -> BookBot:
    """Adds a book, or the book in a file, to a bot. Raises the errors of `book_of`."""
    return (BookSearchBot if isinstance(bot, SearchBot) else BookBot)(game, bot, book_of(game, book))
