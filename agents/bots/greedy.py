"""Provides the agent `greedy`: one-ply play by an evaluator alone."""

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.search import Limits
from starspiel.envs.base import Game
from starspiel.envs.spec import Spec


def greedy(
    game: Game, player: int = 0, seed: int | None = None, *, evaluator: str | Spec = "auto"
) -> SearchBot:
    """Returns a bot that plays the move whose successor the evaluator values highest; draws ties from the
    seed.
    """
    bot = SearchBot(
        game, "expectiminimax", Limits(depth=1), evaluator, player=player, seed=seed, ties="random"
    )
    bot.called = "greedy"
    return bot
