"""An independent solver and random positions for the shipped games' tests."""

import random
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pytest

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


def _reachable(rules: Rules[Any]) -> list[Any]:
    seen = {rules.initial(): None}
    frontier = [rules.initial()]
    while frontier:
        position = frontier.pop()
        for action in _events(rules, position):
            after = rules.apply(position, action)
            if after not in seen:
                seen[after] = None
                frontier.append(after)
    return list(seen)


def _events(rules: Rules[Any], position: Any) -> list[int]:
    player = rules.player(position)
    if player == TERMINAL:
        return []
    if player == CHANCE:
        return [outcome for outcome, _ in rules.chances(position)]
    return list(rules.actions(position))


def _solve(rules: Rules[Any]) -> dict[Hashable, float]:
    """Player 0's expected return under best play at every reachable position, by value iteration."""
    positions = _reachable(rules)
    index = {position: i for i, position in enumerate(positions)}
    values = np.zeros(len(positions))
    nodes = []
    for i, position in enumerate(positions):
        player = rules.player(position)
        if player == TERMINAL:
            values[i] = rules.utility(position)
        elif player == CHANCE:
            outcomes = rules.chances(position)
            after = [index[rules.apply(position, outcome)] for outcome, _ in outcomes]
            nodes.append((i, after, [p for _, p in outcomes]))
        else:
            after = [index[rules.apply(position, action)] for action in rules.actions(position)]
            nodes.append((i, after, max if player == 0 else min))
    nodes.reverse()
    residual = 1.0
    while residual > 1e-13:
        residual = 0.0
        for i, after, how in nodes:
            old = values[i]
            if isinstance(how, list):
                values[i] = sum(p * values[j] for p, j in zip(how, after, strict=True))
            else:
                values[i] = how(values[j] for j in after)
            residual = max(residual, abs(values[i] - old))
    return {position: float(values[i]) for i, position in enumerate(positions)}


def _random_walk(rules: Rules[Any], seed: int, longest: int = 100_000) -> Iterator[tuple[Any, int | None]]:
    rng = random.Random(seed)
    position = rules.initial()
    for _ in range(longest):
        events = _events(rules, position)
        if not events:
            yield position, None
            return
        event = rng.choice(events)
        yield position, event
        position = rules.apply(position, event)
    raise AssertionError(f"{rules.name}: a random game was not over after {longest} events")


@pytest.fixture(scope="session")
def solve() -> Callable[[Rules[Any]], dict[Hashable, float]]:
    """Solves a small game exactly; kept independent of starspiel's own solver."""
    return _solve


@pytest.fixture(scope="session")
def random_walk() -> Callable[..., Iterator[tuple[Any, int | None]]]:
    """(position, event) pairs of one random game; the last pair is (terminal position, None)."""
    return _random_walk
