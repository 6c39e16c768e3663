"""Breaks ties by the shallower searches: the action that they also found best collects sooner.

An agent that plays the first of equally good actions may walk in circles: with a reward six moves away and
fifty plies of foresight, every action that does not lose the reward is worth as much as the way to it. A
search of d plies finds the reward only along ways of at most d moves, so the tie is broken by the shallower
depths, from the deepest of them down: an action stays while it is best at that depth too.

In a game without chance whose rewards are never negative, with nothing valued at the horizon, this cannot go
round in circles: among actions of the same value, those stay that reach it in the fewest moves. To begin with
the shallowest depth would not do: a small reward near the way would hold the player for ever beside it.
If the value is a loss for the player to move, the same rule puts it off as long as can be.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.iteration import best_at


def soonest_of(tied: tuple[int, ...], shallower: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """Returns the `tied` actions that were best at the most depths in a row. `shallower` yields the best
    actions of smaller depths, deepest first, and is consumed only as far as needed.
    """
    depths = iter(shallower)
    while len(tied) > 1 and (best := next(depths, None)) is not None:
        kept = tuple(action for action in tied if action in best)
        if not kept:
            break
        tied = kept
    return tied


def searched_again(engine: SearchEngine, state: Any, depth: int, exact: bool) -> Iterator[tuple[int, ...]]:
    """The best actions of depths below `depth`, the deepest first, for a search that went straight to it.

    If its result was `exact`, a lesser depth may have been enough, and greater ones found the same: then the
    depths are searched from 1 up to the first that is exact.
    """
    if not exact:
        for shallower in range(depth - 1, 0, -1):
            yield best_at(engine, state, shallower).best_actions
        return
    found = []
    for shallower in range(1, depth):
        iteration = best_at(engine, state, shallower)
        found.append(iteration.best_actions)
        if iteration.exact:
            break
    yield from reversed(found)
