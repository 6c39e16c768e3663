"""What a key costs beside `child()`: processor microseconds of each, over positions of random games.

    python benchmarks/keys.py [GAME ...]

The best of three rounds over 2,000 positions counts.
"""

import argparse
import random
from collections.abc import Callable
from time import process_time
from typing import Any

from starspiel import load_game
from starspiel.envs.base import Game

GAMES = (
    *("pig", "backgammon", "einstein_wurfelt_nicht", "yacht", "maedn(players=2)", "banqi", "2048", "catch"),
    *("breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "hex", "mnk", "nim", "othello"),
    *("pentago", "tic_tac_toe", "ultimate_tic_tac_toe", "y"),
)


def random_positions(game: Game, number: int = 2_000) -> list[tuple[Any, int]]:
    """Positions of random games, each with an action to take there."""
    rng = random.Random(1)
    positions: list[tuple[Any, int]] = []
    while len(positions) < number:
        state: Any = game.new_initial_state()
        while not state.is_terminal() and len(positions) < number:
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                action = rng.choices(actions, chances)[0]
            else:
                action = rng.choice(state.legal_actions())
            positions.append((state, action))
            state = state.child(action)
    return positions


def microseconds(call: Callable[[Any, int], object], positions: list[tuple[Any, int]]) -> float:
    """Of one call, in the best of three rounds."""
    rounds = []
    for _ in range(3):
        start = process_time()
        for state, action in positions:
            call(state, action)
        rounds.append(process_time() - start)
    return min(rounds) / len(positions) * 1e6


def costs(game: Game) -> tuple[float, float]:
    """Microseconds of a key, and of `child()`."""
    positions = random_positions(game)
    key = microseconds(lambda state, _: game.key(state), positions)
    return key, microseconds(lambda state, action: state.child(action), positions)


def main() -> None:
    """Prints one line a game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    print("| game | a key / `child()`, µs |\n|---|---|")
    for name in parser.parse_args().games:
        key, child = costs(load_game(name))
        print(f"| {name} | {key:.2g} / {child:.2g} |")


if __name__ == "__main__":
    main()
