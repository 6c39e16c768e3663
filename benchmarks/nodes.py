"""Prints the nodes that Star1 and Star2 visit against expectiminimax, by game and depth.

    python benchmarks/nodes.py

The Python engine, heuristic evaluators, positions out of random games with a fixed seed; root actions prune
each other.
"""

import random
from typing import Any

import starspiel
from starspiel.envs.openspiel.game import OpenSpielGame

CASES = [
    ("pig", (2, 3, 4)),
    ("einstein_wurfelt_nicht", (2, 3)),
    ("maedn(players=2)", (2, 3)),
    ("backgammon", (2,)),
    ("banqi", (2,)),
]
ALGORITHMS = ("expectiminimax", "star1", "star2")
POSITIONS = 5


def positions(game: OpenSpielGame, count: int, seed: int = 1) -> list[Any]:
    """Decision nodes with a choice, one out of each random game."""
    rng = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        state, choices = game.new_initial_state(), []
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(rng.choices(outcomes, chances)[0])
            else:
                if len(state.legal_actions()) > 1:
                    choices.append(state)
                state = state.child(rng.choice(state.legal_actions()))
        found.append(rng.choice(choices))
    return found


def main() -> None:
    print("| game | depth | expectiminimax | Star1 | Star2 |")
    print("|---|---:|---:|---:|---:|")
    for name, depths in CASES:
        game = starspiel.load_game(name)
        assert isinstance(game, OpenSpielGame)
        states = positions(game, POSITIONS)
        for depth in depths:
            nodes = [
                sum(
                    starspiel.search(
                        state,
                        algorithm,
                        starspiel.Limits(depth=depth),
                        "heuristic",
                        engine="python",
                        ties="first",
                        explain=False,
                        exact_action_values=False,
                    ).nodes
                    for state in states
                )
                for algorithm in ALGORITHMS
            ]
            shares = " | ".join(f"{count:,} ({count / nodes[0]:.0%})" for count in nodes[1:])
            print(f"| {name} | {depth} | {nodes[0]:,} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
