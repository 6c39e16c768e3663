"""Breaks ties by shallower searches: an action that they also found best collects rewards sooner.

An agent that plays the first of equally good actions may walk in circles. With a reward six moves away and a
horizon of fifty plies, every action that does not lose the reward is worth as much as the way to it. A search
of d plies finds the reward only along ways of at most d moves. So ties are broken by the shallower depths,
from the deepest of them down: an action stays as long as it is best at that depth too.

In a game without chance whose rewards are never negative, and if no state is valued at the horizon, this rule
cannot go round in circles: among actions of the same value, those stay that reach it in the fewest moves. It
would not do to start with the shallowest depth: a small reward close to the way would hold the player beside
it for ever. If the value is a loss for the player to move, the same rule delays it as long as possible.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.iteration import best_at


def soonest_of(tied: tuple[int, ...], shallower: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """Returns those of the `tied` actions that were best at the most depths in a row. `shallower` yields the
    best actions of smaller depths, deepest first, and is consumed only as far as needed.
    """
    depths = iter(shallower)
    while len(tied) > 1 and (best := next(depths, None)) is not None:
        kept = tuple(action for action in tied if action in best)
        if not kept:
            break
        tied = kept
    return tied


def searched_again(engine: SearchEngine, state: Any, depth: int, exact: bool) -> Iterator[tuple[int, ...]]:
    """Yields the best actions of the depths below `depth`, deepest first, for a search without iterations.

    If its result was `exact`, a smaller depth may also be exact, and depths between find the same. Then the
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
