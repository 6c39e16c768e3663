"""A book's answer in place of a search's: its move and value, and that nothing was searched."""

from typing import Any

from starspiel.agents.book.book import Book
from starspiel.agents.search.result import BOOK, SearchResult, Statistics
from starspiel.envs.base import Game
from starspiel.envs.plays import name_of


def answer(book: Book, game: Game, state: Any, *, explain: bool = True) -> SearchResult | None:
    """What the book says of a decision node; None where it does not hold the position.

    `action_values` holds the book's move alone, and `evaluator` the agent that found it.
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
