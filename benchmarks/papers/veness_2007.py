"""Veness & Blair 2007, "Effective use of transposition tables in stochastic game tree search".

    python benchmarks/papers/veness_2007.py [--size 5] [--positions 50] [--plies 7]

The game Dice on an m x m board, bounds -1 and 1, positions out of random games with a fixed seed. The
paper counts rolls as plies: its depth 13 is 7 decision plies. Star2 by itself beside Star2 with a table,
which keeps bounds at chance nodes and at players' nodes; time is the processor's. The paper leaves the
rules and the size open (docs/games/dice.md).
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from published import Figure, report

import starspiel


def positions(game: str, count: int, seed: int) -> list[Any]:
    """Decision nodes with a choice, one out of each random game."""
    rng, loaded, found = random.Random(seed), starspiel.load_game(game), []
    while len(found) < count:
        state, choices = loaded.new_initial_state(), []
        while not state.is_terminal():
            if not state.is_chance_node() and len(state.legal_actions()) > 1:
                choices.append(state)
            state = state.child(rng.choice(state.legal_actions()))
        if choices:
            found.append(rng.choice(choices))
    return found


def cost(state: Any, plies: int, table_mb: int | None) -> tuple[float, int, float]:
    """(value, nodes, seconds of the processor) of one search with nothing else on."""
    began = time.thread_time()
    result = starspiel.search(
        state,
        "star2",
        starspiel.Limits(depth=plies),
        "zero",
        engine="native",
        table_mb=table_mb,
        merge=False,
        order=False,
        ties="first",
        explain=False,
        exact_action_values=False,
    )
    return result.value, result.nodes, time.thread_time() - began


def figures(game: str, count: int, plies: int, seed: int) -> Iterator[Figure]:
    fewer, sooner = [], []
    for state in positions(game, count, seed):
        plain, cached = cost(state, plies, None), cost(state, plies, 64)
        assert abs(plain[0] - cached[0]) < 1e-9
        fewer.append(1 - cached[1] / plain[1])
        sooner.append(1 - cached[2] / plain[2])
    yield Figure.of("nodes saved by kept bounds, %", "37", fewer, (0.30, 0.99))
    yield Figure.of("time saved by kept bounds, %", "31", sooner, (0.20, 0.99))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--plies", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = f"dice(size={given.size})"
    title = f"Veness & Blair 2007: {game}, {given.positions} positions, {given.plies} decision plies"
    return report(title, figures(game, given.positions, given.plies, given.seed))


if __name__ == "__main__":
    sys.exit(main())
