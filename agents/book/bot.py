"""An agent with a book: in it the book's move, out of it its own."""

from typing import Any

from starspiel.agents.book.answer import answer
from starspiel.agents.book.book import Book, book_of
from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.result import SearchResult
from starspiel.envs.base import Game


class BookBot(Bot):
    """Plays the book's moves, and another bot's where the book does not hold the position.

    Args:
        game: what both play.
        bot: plays out of the book; it hears of every move, as without a book.
        book: the moves.

    Attributes:
        outside: that bot.
    """

    def __init__(self, game: Game, bot: Any, book: Book) -> None:
        super().__init__()
        self._game, self._bot, self._book = game, bot, book

    def __repr__(self) -> str:
        return f"<book bot for {self._game.name}, outside the book {self._bot!r}>"

    @property
    def outside(self) -> Any:
        return self._bot

    def answer(self, state: Any) -> SearchResult | None:
        """What the book says of a decision node; None where it does not hold the position."""
        check_turn(state, self._game)
        return answer(self._book, self._game, state)

    @property
    def last_result(self) -> Any:
        """What the other bot's last search found; None where the move was the book's, or it made none."""
        return None if self._in_book else getattr(self._bot, "last_result", None)

    _in_book = False

    def step(self, state: Any) -> int:
        move = self._move(state)
        if move is None:
            action = int(self._bot.step(state))
            self.last_nodes = getattr(self._bot, "last_nodes", None)
            return action
        return self._played(state, move)

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        move = self._move(state)
        if move is None:
            policy, action = self._bot.step_with_policy(state)
            self.last_nodes = getattr(self._bot, "last_nodes", None)
            return policy, int(action)
        return _surely(state, move), self._played(state, move)

    def get_policy(self, state: Any) -> Policy:
        move = self._move(state)
        if move is None:
            policy: Policy = self._bot.get_policy(state)
            return policy
        return _surely(state, move)

    def provides_policy(self) -> bool:
        return bool(self._bot.provides_policy())

    def move_values(self, state: Any) -> dict[int, float] | None:
        outside = getattr(self._bot, "move_values", None)  # a book values one move only
        values: dict[int, float] | None = outside(state) if callable(outside) else None
        return values

    def restart(self) -> None:
        self._bot.restart()
        self._in_book, self.last_nodes = False, None

    def restart_at(self, state: Any) -> None:
        self._bot.restart_at(state)
        self._in_book, self.last_nodes = False, None

    def inform_action(self, state: Any, player: int, action: int) -> None:
        _tell(self._bot, "inform_action", state, player, action)

    def is_clonable(self) -> bool:
        return isinstance(self._bot, Bot)

    def _move(self, state: Any) -> int | None:
        check_turn(state, self._game)
        move = self._book.move(self._game, state)
        self._in_book = move is not None
        return move

    def _played(self, state: Any, move: int) -> int:
        """The book's move, of which a bot that keeps track of the game is told."""
        self.last_nodes = 0
        if not isinstance(self._bot, Bot):
            _tell(self._bot, "force_action", state, move)
        return move


def _surely(state: Any, move: int) -> Policy:
    return [(action, float(action == move)) for action in state.legal_actions()]


def _tell(bot: Any, what: str, *news: Any) -> None:
    call = getattr(bot, what, None)
    if callable(call):
        call(*news)


class BookSearchBot(BookBot):
    """One whose other bot searches: in the book it answers by it."""

    def search(self, state: Any, *, limits: Limits | None = None, **options: bool) -> SearchResult:
        """As SearchBot's, which makes the search if the book does not hold the position."""
        searching: SearchBot = self._bot
        return self.answer(state) or searching.search(state, limits=limits, **options)


#: What has a `search`, with a book or without.
Searcher = SearchBot | BookSearchBot


def with_book_of(game: Game, bot: Any, book: Any) -> BookBot:
    """The bot with a book, or with the one in a file. Raises what `book_of` does."""
    return with_book(game, bot, book_of(game, book))


def with_book(game: Game, bot: Any, book: Book) -> BookBot:
    """The bot, with the book."""
    return (BookSearchBot if isinstance(bot, SearchBot) else BookBot)(game, bot, book)
