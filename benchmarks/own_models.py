"""How much sooner the core's models of the games that ship search than their rules in Python.

    python benchmarks/own_models.py [--positions 3]

For each game: Star2 with the heuristic at positions of random games, once by the Python engine and once by
the native engine with its table, merging and ordering off, so that both visit the same nodes; then the native
engine with all. Seconds are of the processor, the least of three runs. Exit code 1 if two values differ.
"""

import argparse
import random
import sys
import time
from math import exp, log
from typing import Any

from starspiel import Limits, SearchResult, load_game, search
from starspiel.envs.base import CHANCE

#: Depths that the Python engine searches in about a second.
GAMES = {"cant_stop": 3, "dice": 4, "knucklebones": 4, "royal_game_of_ur": 4, "star_pig": 5}
OFF: dict[str, Any] = {"table_mb": None, "merge": False, "order": False}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=3, help="positions a game")
    positions = parser.parse_args().positions
    print("| game | depth | nodes | Python s | native s | times sooner | M nodes/s | all: s | times sooner |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    ratios, same = [], True
    for name, depth in GAMES.items():
        nodes, python, native, full = 0, 0.0, 0.0, 0.0
        for seed in range(positions):
            state = _position(name, seed)
            slow, seconds = _timed(state, depth, engine="python", table_mb=None)
            python += seconds
            quick, seconds = _timed(state, depth, engine="native", **OFF)
            native += seconds
            best, seconds = _timed(state, depth, engine="native")
            full += seconds
            nodes += quick.nodes
            same &= quick.nodes == slow.nodes
            same &= max(abs(slow.value - quick.value), abs(slow.value - best.value)) < 1e-9
        ratios.append(python / native)
        print(
            f"| {name} | {depth} | {nodes:,} | {python:.3f} | {native:.4f} | {python / native:.0f} "
            f"| {nodes / native / 1e6:.1f} | {full:.4f} | {python / full:.0f} |"
        )
    print(f"\ngeometric mean, node for node: {exp(sum(map(log, ratios)) / len(ratios)):.0f}")
    if not same:
        print("the engines differ")
        sys.exit(1)


def _position(name: str, seed: int) -> Any:
    """A decision in the middle of a random game."""
    draw, state = random.Random(seed), load_game(name).new_initial_state()
    decisions = []
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state = state.child(draw.choices(outcomes, chances)[0])
        else:
            decisions.append(state)
            state = state.child(draw.choice(state.legal_actions()))
    return decisions[len(decisions) // 2]


def _timed(state: Any, depth: int, **how: Any) -> tuple[SearchResult, float]:
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        result = search(state, "star2", Limits(depth=depth), "heuristic", explain=False, ties="first", **how)
        least = min(least, time.process_time() - began)
    return result, least


if __name__ == "__main__":
    main()
