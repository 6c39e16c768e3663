"""Provides `make_book`, which searches the positions of the opening, likeliest first."""

import heapq
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from starspiel.agents.book.book import Book
from starspiel.agents.book.bot import BookBot
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.rollouts.bot import RolloutBot
from starspiel.agents.roster import make_bot
from starspiel.agents.solve.solution import key_hash
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.base import CHANCE, Game, check_two_sided, possible_outcomes
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError, shown
from starspiel.envs.load import load_game
from starspiel.envs.spec import Spec, as_spec

#: Default arguments of `make_book`.
POSITIONS, AGENT, WITHIN = 200, "star2(depth=3)", 0.02
_MOST = 10**9


def make_book(
    game: Any,
    agent: str | Spec = AGENT,
    *,
    positions: int = POSITIONS,
    within: float = WITHIN,
    seed: int = 1,
    tell: Callable[[int, int], None] | None = None,
) -> Book:
    """Makes a book of an agent's moves in the opening, the likeliest positions first.

    Positions are likely if players choose evenly among moves that are good enough.

    Args:
        game: anything that `load_game` accepts, if its chances are listed and its positions have keys.
        agent: a search or a rollout, as deep as time allows.
        positions: the most decisions searched; forced moves do not count.
        seed: the agent's seed.
        within: a move is good enough if its value is at most this much worse than that of the best move.
        tell: called after every position, with the number of positions done and the most there may be. If it
            is given, Ctrl-C ends the search with what has been found so far.

    Raises StarspielError if an argument is out of range, and UnsupportedGameError if the game has no
    keys or no list of its chances, or is not a turn-based game for one player, or for two with zero sum.
    """
    played = load_game(game)
    check_two_sided(played, "a book")
    most = whole_number("book: positions", positions, 1, _MOST)
    near = finite_number("book: within", within)
    if near < 0.0:
        raise SpecError(f"book: within must be at least 0, got {shown(within)}.")
    if not played.explicit_chance:
        raise UnsupportedGameError(f"{played.name} has no list of its chance outcomes, so there is no book.")
    opening = _Opening(played, _searcher(played, agent, seed), near)
    found = opening.found
    number = 0
    waiting: list[tuple[float, int, Any]] = [(-1.0, 0, played.new_initial_state())]
    try:
        while waiting and len(found) < most:
            chance, _, state = heapq.heappop(waiting)
            for child, share in opening.followed(state):
                number += 1
                heapq.heappush(waiting, (chance * share, number, child))
            if tell is not None:
                tell(len(found), most)
    except KeyboardInterrupt:
        if tell is None or not found:
            raise
    order = sorted(found)
    return Book(
        game=played.name,
        agent=str(as_spec(agent)),
        hashes=np.array(order, dtype=np.uint64),
        actions=np.array([found[each][0] for each in order], dtype=np.int64),
        values=np.array([found[each][1] for each in order], dtype=np.float64),
    )


def _searcher(game: Game, agent: str | Spec, seed: int) -> SearchBot | RolloutBot:
    bot = make_bot(agent, game, seed=seed)
    if isinstance(bot, BookBot):
        raise StarspielError(
            f"a book is made by a search and not by another book: leave book= out of {shown(str(agent))}."
        )
    if not isinstance(bot, SearchBot | RolloutBot):
        raise StarspielError(f"a book needs a search such as {AGENT}, or a rollout, got {shown(str(agent))}.")
    return bot


@dataclass
class _Opening:
    """The decisions searched so far: (best move, value to go) by the hash of the key."""

    game: Game
    bot: SearchBot | RolloutBot
    near: float
    found: dict[int, tuple[int, float]] = field(default_factory=dict)
    seen: set[Hashable] = field(default_factory=set)

    def followed(self, state: Any) -> list[tuple[Any, float]]:
        """Returns the states that may follow, with their probabilities; searches a decision first."""
        if state.is_terminal():
            return []
        if state.current_player() == CHANCE:
            return [(state.child(outcome), chance) for outcome, chance in possible_outcomes(state)]
        legal = state.legal_actions()
        if len(legal) == 1:
            return [(state.child(legal[0]), 1.0)]
        key = self.game.key(state)
        if key is None:
            raise UnsupportedGameError(
                f"{self.game.name} has no keys that tell positions apart, so there is no book."
            )
        if key in self.seen:
            return []
        self.seen.add(key)
        bot = self.bot
        said = (
            bot.search(state, exact_action_values=True) if isinstance(bot, SearchBot) else bot.roll_out(state)
        )
        collected, scale = self.game.frame(state)
        best, values = said.best_action, said.action_values
        self.found[key_hash(key)] = best, (said.value - collected) / scale
        good = [action for action, each in values.items() if abs(each - values[best]) <= self.near]
        return [(state.child(action), 1.0 / len(good)) for action in good]
