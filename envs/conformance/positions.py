"""Helpers of the checks: successors, random draws, and snapshots of positions."""

import random
import traceback
from collections.abc import Sequence
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError


def successors(game: Game, state: Any, rng: random.Random) -> list[tuple[int, float]] | None:
    """Returns the (action, weight) pairs of a position; None if outcomes can only be sampled."""
    player = state.current_player()
    if player == TERMINAL:
        return []
    if player == CHANCE:
        return list(state.chance_outcomes()) if game.explicit_chance else None
    return [(action, 1.0) for action in state.legal_actions()]


def draw(outcomes: Sequence[tuple[int, float]], rng: random.Random) -> int:
    if outcomes[0][1] == outcomes[-1][1]:  # almost always uniform, for which `choice` is far faster
        return rng.choice(outcomes)[0]
    return rng.choices(outcomes, [weight for _, weight in outcomes])[0][0]


def picture(game: Game, state: Any) -> tuple[Any, ...]:
    """Returns a snapshot of everything that can be observed of a state."""
    player = state.current_player()
    return (
        player,
        () if player == CHANCE else tuple(state.legal_actions()),
        tuple(state.returns()),
        game.key(state),
        str(state),
    )


def described(error: Exception) -> str:
    """Returns an error as a finding: starspiel's own errors by their message, others with type and line."""
    if isinstance(error, StarspielError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}(), {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def in_words(returns: Sequence[float]) -> str:
    """Returns the returns of the players whose values count as text: one number, or (1, 0, -1)."""
    numbers = ", ".join(f"{each:g}" for each in returns)
    return numbers if len(returns) == 1 else f"({numbers})"


def where(state: Any) -> str:
    """Returns where a state is: its history or, if it has none, its `repr`."""
    if isinstance(state, pyspiel.State):
        history = state.history()
        return f"after {','.join(map(str, history))}" if history else "at the start"
    return f"at {state!r}"
