"""Plays a game of everything under a time limit, and prints by how much the slowest moves overran it.

    python benchmarks/clock.py [--seconds 0.1] [GAME ...]

Star2 against a random player, on the engine and with the evaluator that an agent has by default. Overruns are
in milliseconds of wall clock and of this thread's processor time; if the machine is busy only the latter
tells of the search. Ends with 1 if that is more than the 5 ms that are promised.
"""

import argparse
import random
import statistics
import sys
import time
from typing import Any, NamedTuple

import starspiel
from starspiel.envs.base import CHANCE
from starspiel.envs.games import GAMES
from starspiel.envs.openspiel.game import qualifying_games

#: What is promised, in seconds.
PROMISED = 0.005


class Overrun(NamedTuple):
    """Of one move, in seconds."""

    wall: float
    processor: float


def overruns(name: str, seconds: float, seed: int = 1) -> list[Overrun]:
    """The moves of a Star2 bot with that time limit in one game, but for those that were forced."""
    game = starspiel.load_game(name)
    bot = starspiel.make_bot(f"star2(seconds={seconds})", game, player=0, seed=seed)
    rng = random.Random(seed)
    state: Any = game.new_initial_state()
    found = []
    while not state.is_terminal():
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(outcomes, chances)[0]
        elif player == 0 and len(state.legal_actions()) > 1:
            wall, processor = time.perf_counter(), time.thread_time()
            action = bot.step(state)
            processor = time.thread_time() - processor
            found.append(Overrun(time.perf_counter() - wall - seconds, processor - seconds))
        else:
            action = rng.choice(state.legal_actions())
        state = state.child(action)
    return found


def main() -> int:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=[*GAMES, *qualifying_games()])
    parser.add_argument("--seconds", type=float, default=0.1)
    arguments = parser.parse_args()
    late = 0
    print("| game | moves | wall, median | 99 % | worst | processor, worst |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in arguments.games:
        moves = overruns(name, arguments.seconds)
        if not moves:
            print(f"| {name} | 0 | | | | |", flush=True)
            continue
        walls = sorted(move.wall * 1e3 for move in moves)
        worst = max(move.processor for move in moves)
        late += worst > PROMISED
        print(
            f"| {name} | {len(moves)} | {statistics.median(walls):.1f} | {walls[int(0.99 * len(walls))]:.1f} "
            f"| {walls[-1]:.1f} | {worst * 1e3:.1f} |",
            flush=True,
        )
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
