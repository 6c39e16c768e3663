"""Checks that equal keys mean equal futures, at positions that are reached in more than one way."""

import itertools
import random
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL, Game, has_vector_values
from starspiel.envs.conformance.positions import draw, in_words, successors, where
from starspiel.envs.conformance.report import Check, Tally
from starspiel.envs.conformance.timer import WALKING, Timer, TimeUpError
from starspiel.envs.openspiel.keys import Counted


def look_at_keys(game: Game, rng: random.Random, positions: int, timer: Timer) -> Check | None:
    """Looks for positions with equal keys that differ in player, moves, chances, returns or successors' keys.

    If there are none in the whole game, positions with equal keys have equal values, by induction. Returns
    None if no position has a key.
    """
    tally = Tally("keys", "positions reached again in another way")
    first: dict[Hashable, tuple[Any, Any]] = {}
    met = 0
    try:
        for state in itertools.islice(_positions_met_twice(game, rng, timer), positions):
            met += 1
            key = game.key(state)
            if key is None:
                continue
            if key not in first:
                first[key] = state, None
                continue
            other, future = first[key]
            if isinstance(state, pyspiel.State) and state.history() == other.history():
                continue  # reached in the same way again
            if future is None:
                future = _future(game, other, timer)
                first[key] = other, future
            difference = _difference(future, _future(game, state, timer))
            if not tally.check(difference is None):
                tally.found(f"one key for two futures ({difference}): {where(other)} and {where(state)}")
    except TimeUpError:
        pass
    if not first:
        return None  # without keys, nothing is merged
    return tally.done(f", of {met:,}")


def _positions_met_twice(game: Game, rng: random.Random, timer: Timer) -> Iterator[Any]:
    """Yields positions of random play, and small trees of few actions in which different move orders meet."""
    pool = [game.new_initial_state()]
    while not timer.over(WALKING):
        state = rng.choice(pool[-200:]) if rng.random() < 0.7 else pool[0]
        for _ in range(rng.choice((2, 5, 15, 60))):
            outcomes = successors(game, state, rng)
            if not outcomes:
                break
            timer.tick(WALKING)
            state = state.child(draw(outcomes, rng))
            yield state
            if rng.random() < 0.2:
                pool.append(state)
        yield from _tree(game, state, rng, timer)


def _tree(game: Game, root: Any, rng: random.Random, timer: Timer) -> Iterator[Any]:
    """Yields all successors of `root`, then breadth first those by the same few actions.

    The actions are the same everywhere so that different move orders lead to the same position.
    """
    rank: dict[int, float] = {}
    level = [root]
    for depth in range(6):
        following: list[Any] = []
        for state in level:
            actions = [action for action, _ in successors(game, state, rng) or []]
            if depth or len(actions) > 60:
                width = 2 if state.is_chance_node() else 4
                actions = sorted(actions, key=lambda action: rank.setdefault(action, rng.random()))[:width]
            for action in actions:
                timer.tick(WALKING)
                child = state.child(action)
                yield child
                following.append(child)
        level = following if len(following) <= 60 else rng.sample(following, 60)


def _future(game: Game, state: Any, timer: Timer, deep: bool = True) -> tuple[Any, ...]:
    """Returns (player to act, moves or outcomes, successors): all that equal keys promise to be equal."""
    player = state.current_player()
    collected, scale = _collected(game, state)
    if player == TERMINAL:
        returns = state.returns()[: len(collected)]
        return TERMINAL, _apart(collected, returns, scale), ()
    if player == CHANCE:
        choices: list[Any] = [(a, round(p, 12)) for a, p in state.chance_outcomes()]
        actions = [a for a, _ in choices]
    else:
        choices = actions = list(state.legal_actions())
    if len(actions) > 60:
        actions = actions[:: len(actions) // 30]
    following = []
    for action in actions if deep else ():
        timer.tick(WALKING)
        child = state.child(action)
        key = game.key(child)
        paid = _apart(collected, _collected(game, child)[0], scale)
        following.append((action, paid, _future(game, child, timer, False) if key is None else key))
    return player, tuple(choices), tuple(following)


def _collected(game: Game, state: Any) -> tuple[Sequence[float], float]:
    """Returns (returns so far of the players whose values count, scale of the value to go)."""
    if not has_vector_values(game):
        collected, scale = game.frame(state)
        return (collected,), scale
    return (tuple(state.returns()) if game.step_rewards else (0.0,) * game.num_players), 1.0


def _apart(before: Sequence[float], after: Sequence[float], scale: float) -> tuple[float, ...]:
    return tuple(round((new - old) / scale, 9) for old, new in zip(before, after, strict=True))


def _difference(one: tuple[Any, ...], two: tuple[Any, ...]) -> str | None:
    """Returns the difference of two futures in words; None if there is none."""
    if one[0] != two[0]:
        return f"player {one[0]} and player {two[0]} to act"
    if one[1] != two[1]:
        if one[0] == TERMINAL:
            return f"returns {in_words(one[1])} and {in_words(two[1])}"
        return "different outcomes or chances" if one[0] == CHANCE else "different legal moves"
    for (action, paid, key), (_, other_paid, other_key) in zip(one[2], two[2], strict=True):
        if paid != other_paid:
            return f"action {action} pays {in_words(paid)} and {in_words(other_paid)}"
        # A key that has just begun to count the plies left differs from that of a position with more plies.
        if key != other_key and isinstance(key, Counted) == isinstance(other_key, Counted):
            return f"action {action} leads to different keys"
    return None
