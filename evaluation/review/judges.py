"""Makes the agents that value the moves of a reviewed game."""

from typing import Any

from starspiel.agents.book import BookBot
from starspiel.agents.bot import Bot
from starspiel.agents.roster import make_bot
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store.rows import StoredGame


def agents_of(game: StoredGame, rules: Game) -> tuple[list[Any], dict[str, None]]:
    """Returns a bot for each seat, None if it gives no values of moves, and the reasons without repeats."""
    bots: list[Any] = []
    notes: dict[str, None] = {}
    for seat, name in enumerate(game.names):
        bot = None
        try:
            bot = make_bot(name, rules, seat, game.seed)
        except StarspielError as error:
            notes[f"{name} cannot be made again from its name: {error}"] = None
        if bot is not None and not values_moves(bot):
            bot = None
            notes[f"{name} gives no values of moves."] = None
        bots.append(bot)
    return bots, notes


def word_of(bot: Any) -> str:
    """Returns what the bot's values are called: "value" if they only rank moves; "" if unknown."""
    told = getattr(bot.outside if isinstance(bot, BookBot) else bot, "outlook", None)
    return "" if told is None else str(told.word)


def values_moves(bot: Any) -> bool:
    """Returns whether the bot gives values of moves."""
    kind = getattr(type(bot.outside if isinstance(bot, BookBot) else bot), "move_values", None)
    return kind is not None and kind is not Bot.move_values
