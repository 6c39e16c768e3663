"""Finds the principal variation of a search, as actions and in words."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starspiel.agents.opponents import Opponent
from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.iteration import Iteration, best_at
from starspiel.agents.search.leaves import BudgetSpentError
from starspiel.agents.search.limits import MAX_DEPTH, Limits
from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.task import SearchTask
from starspiel.agents.search.tie_breaking import searched_again, soonest_of
from starspiel.envs.base import CHANCE, SIMULTANEOUS, TERMINAL, possible_outcomes
from starspiel.envs.plays.plays import name_of

Line = tuple[tuple[int, int], ...]


def principal_variation(
    task: SearchTask, root: Iteration, action: int, depth: int, engine: SearchEngine, limits: Limits
) -> Line:
    """Returns best play after the root's `action`, a ply shallower at each step, within the remaining limits.

    A modelled opponent makes the likeliest move; of equally likely ones, the best.
    """
    line = [(root.player, action)]
    state = task.root.child(action)
    try:
        following = engine.with_limits(_remaining(limits, engine))
        while (player := state.current_player()) != TERMINAL:
            if player == CHANCE:
                action = max(possible_outcomes(state), key=lambda outcome: outcome[1])[0]
            elif player == SIMULTANEOUS:
                break
            else:
                depth -= 1
                if depth == 0:
                    break
                if task.opponent is not None and player != root.player:
                    action = _likeliest(following, state, depth, task.opponent)
                else:
                    found = best_at(following, state, depth)
                    best = replace(found, size=max(root.size, found.size)).best_actions
                    if task.options.ties == "soonest":
                        best = soonest_of(best, searched_again(following, state, depth, found.exact))
                    action = best[0]
            line.append((player, action))
            state = state.child(action)
    except BudgetSpentError:
        pass
    while line[-1][0] == CHANCE:
        line.pop()
    return tuple(line)


def _likeliest(engine: SearchEngine, state: Any, depth: int, opponent: Opponent) -> int:
    """Returns the likeliest move of a modelled opponent; of equally likely ones, the best, then the first."""
    values: dict[int, float] = {}
    engine.search_root(state, depth, math.inf, values)
    sign = 1 if state.current_player() == 0 else -1
    chances = dict(zip(state.legal_actions(), opponent.chances(state), strict=True))

    def often(action: int) -> tuple[float, float]:
        return chances[action], sign * values[action]

    return max(values, key=often)


def _remaining(limits: Limits, engine: SearchEngine) -> Limits:
    """Returns the rest of the limits. Raises BudgetSpentError if nothing is left."""
    nodes = None if limits.nodes is None else limits.nodes - engine.nodes
    seconds = None if limits.seconds is None else limits.seconds - engine.elapsed()
    if (nodes is not None and nodes < 1) or (seconds is not None and seconds <= 0):
        raise BudgetSpentError
    return Limits(depth=MAX_DEPTH, nodes=nodes, seconds=seconds)


def in_words(state: Any, line: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Returns the names of a line's steps, with chance outcomes in brackets."""
    words = []
    for player, action in line:
        name = name_of(undrawn(state), player, action)
        words.append(f"({name})" if player == CHANCE else name)
        state = state.child(action)
    return tuple(words)
