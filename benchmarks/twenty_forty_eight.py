"""How many points agents collect in star_2048, by depth.

Prints a line a depth: the mean of the games' points with its 95 % interval, the share of games that reach
each great tile, the moves a game and the processor time of a move.

    python benchmarks/twenty_forty_eight.py ["ntuple(file=2048.npz)"] [--depths 1 2 3] [--games 100]
"""

import argparse
import math
import random
import statistics
import time
from typing import Any

from starspiel import load_game, make_bot
from starspiel.envs.base import CHANCE, TERMINAL

#: The tiles that are counted, as logarithms.
TILES = (11, 12, 13, 14, 15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("evaluator", nargs="?", default="auto")
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--algorithm", default="star2")
    parser.add_argument("--game", default="star_2048")
    given = parser.parse_args()
    heads = " | ".join(str(1 << tile) for tile in TILES)
    print(f"| agent | games | points a game | {heads} | moves a game | µs a move |")
    print("|---|---:|---:|" + "---:|" * (len(TILES) + 2))
    for depth in given.depths:
        print(row(given.game, f"{given.algorithm}(depth={depth},evaluator={given.evaluator})", given.games))


def row(game: str, agent: str, games: int) -> str:
    """A line of the table."""
    started = time.process_time()
    ended = [played(game, agent, seed) for seed in range(games)]
    seconds = time.process_time() - started
    points = [state.returns()[0] for state, _ in ended]
    moves = sum(count for _, count in ended)
    half = 1.96 * statistics.stdev(points) / math.sqrt(games) if games > 1 else math.inf
    reached = [sum(max(state.position.tiles) >= tile for state, _ in ended) / games for tile in TILES]
    shares = " | ".join(f"{share:.0%}" for share in reached)
    return (
        f"| `{agent}` | {games} | {statistics.mean(points):,.0f} ± {half:,.0f} | {shares} | "
        f"{moves / games:,.0f} | {1e6 * seconds / moves:,.0f} |"
    )


def played(game: str, agent: str, seed: int) -> tuple[Any, int]:
    """The end of a game, and how many moves it took; the same dice for the same seed and the same moves."""
    rules, dice = load_game(game), random.Random(seed)
    bot = make_bot(agent, rules, 0, seed)
    state, moves = rules.new_initial_state(), 0
    while state.current_player() != TERMINAL:
        if state.current_player() == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state = state.child(dice.choices(outcomes, chances)[0])
        else:
            state, moves = state.child(bot.step(state)), moves + 1
    return state, moves


if __name__ == "__main__":
    main()
