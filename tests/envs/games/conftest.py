"""Random games for the shipped games' tests."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


def _events(rules: Rules[Any], position: Any) -> list[int]:
    player = rules.player(position)
    if player == TERMINAL:
        return []
    if player == CHANCE:
        return [outcome for outcome, _ in rules.chances(position)]
    return list(rules.actions(position))


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
def random_walk() -> Callable[..., Iterator[tuple[Any, int | None]]]:
    """(position, event) pairs of one random game; the last pair is (terminal position, None)."""
    return _random_walk
