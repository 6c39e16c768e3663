"""An agent with a book: in it the book's move, out of it its own."""

from typing import Any

from starspiel.agents.book.book import Book
from starspiel.agents.bots import Bot, Policy, check_turn
from starspiel.envs.base import Game


class BookBot(Bot):
    """Plays the book's moves, and another bot's where the book does not hold the position.

    Args:
        game: what both play.
        bot: plays out of the book; it hears of every move, as without a book.
        book: the moves.
    """

    def __init__(self, game: Game, bot: Any, book: Book) -> None:
        super().__init__()
        self._game, self._bot, self._book = game, bot, book

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
