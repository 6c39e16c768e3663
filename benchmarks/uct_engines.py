"""UCT in C++ beside UCT in Python: the same searches, in every game with a model and some without.

    python benchmarks/uct_engines.py [games ...] [--simulations 100] [--positions 5] [--rounds 3] [--seed 1]

Prints a line a game: milliseconds of processor time a move of `uct(simulations=100)` in either engine, and
how many times sooner C++ is, by random games and, if the game has one, by its heuristic. Positions are drawn
by the seed from random games, one from each, and both engines search them by turns. A time is the median
over rounds and positions; beside the ratio of these stands that of the position where it is least, which may
be solved by a few simulations. Both engines must find the same visits and means. Yacht has fewer dice
than five, with which Python takes half a minute a move.
"""

import argparse
import random
import time
from statistics import median
from typing import Any

from starspiel.agents.bots import UCTBot
from starspiel.agents.evaluators.heuristic import has_heuristic
from starspiel.envs.base import CHANCE, possible_outcomes
from starspiel.envs.load import load_game

#: Every model of CMakeLists.txt; below the line, games that are played over OpenSpiel's own states.
GAMES = (
    "2048",
    "backgammon",
    "banqi",
    "cant_stop",
    "connect_four",
    "dice",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "maedn(players=2)",
    "maedn(players=4)",
    "pig",
    "pig(players=3)",
    "royal_game_of_ur",
    "star_2048",
    "star_pig",
    "yacht(players=2,num_dice=3)",
    "yacht(players=3,num_dice=2)",
    # States.
    "breakthrough",
    "othello",
    "tic_tac_toe",
)
#: How many moves each engine makes in its turn: enough of the quick ones for the clock.
ENGINES = {"python": 1, "native": 10}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--positions", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| game | leaves | ms a move, Python | C++ | times sooner | least |")
    print("|---|---|---:|---:|---:|---:|")
    for name in given.games:
        game = load_game(name)
        states = [position(game, random.Random(f"{given.seed} {n}")) for n in range(given.positions)]
        for evaluator in (None, "heuristic") if has_heuristic(game) else (None,):
            times = [
                compared(game, state, given.rounds, simulations=given.simulations, evaluator=evaluator)
                for state in states
            ]
            python, native = (median(each[engine] for each in times) for engine in ENGINES)
            least = min(each["python"] / each["native"] for each in times)
            print(
                f"| {name} | {evaluator or 'random games'} | {1e3 * python:.3g} | {1e3 * native:.3g} | "
                f"{python / native:.0f} | {least:.0f} |",
                flush=True,
            )


def position(game: Any, draw: random.Random) -> Any:
    """A decision between several moves out of a random game."""
    while True:
        state, found = game.new_initial_state(), []
        while not state.is_terminal():
            if state.current_player() == CHANCE:
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(draw.choices(outcomes, chances)[0])
                continue
            legal = state.legal_actions()
            if len(legal) > 1:
                found.append(state)
            state = state.child(draw.choice(legal))
        if found:
            return draw.choice(found)


def compared(game: Any, state: Any, rounds: int, **parameters: Any) -> dict[str, float]:
    """Seconds of processor time of a move by each engine: medians over rounds by turns."""
    bots = {engine: UCTBot(game, 1, engine=engine, **parameters) for engine in ENGINES}
    python, native = (bots[engine].search(state) for engine in ENGINES)
    assert python == native, f"{state}: {python} is not {native}"
    seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    for _ in range(rounds):
        for engine, moves in ENGINES.items():
            began = time.process_time()
            for _ in range(moves):
                bots[engine].step(state)
            seconds[engine].append((time.process_time() - began) / moves)
    return {engine: median(each) for engine, each in seconds.items()}


if __name__ == "__main__":
    main()
