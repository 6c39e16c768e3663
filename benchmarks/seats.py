"""What it costs that an agent sits in a process of its own: a round trip, a game, a start.

    python benchmarks/seats.py [--moves 2000] [--game pig]

A round trip is a question with the event before it, the engine's answer, and both ends' work: positions kept,
JSON written and read, legality. Times are medians.
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.stable import close_idle
from starspiel.envs.load import load_game

ENGINE = Path(__file__).parents[1] / "examples" / "engines" / "first_engine.py"
SEATS = {
    "random, in Python's host": "random",
    "first_engine.py": f"exec:{sys.executable} {ENGINE}",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=2000)
    parser.add_argument("--game", default="pig")
    given = parser.parse_args()
    game = load_game(given.game)
    print("engine                        start (s)   new game (ms)   round trip (ms)   slowest 1 % (ms)")
    for name, spec in SEATS.items():
        began = perf_counter()
        SeatBot(command_of(spec), game, 0, 1).leave(None, sound=True)
        start = perf_counter() - began
        trips: list[float] = []
        games: list[float] = []
        while len(trips) < given.moves:
            began = perf_counter()
            bot = SeatBot(command_of(spec), game, 0, len(trips))
            games.append(perf_counter() - began)
            state = game.new_initial_state()
            while not state.is_terminal():
                player = state.current_player()
                if player == 0:
                    began = perf_counter()
                    action = bot.step(state)
                    trips.append(perf_counter() - began)
                else:
                    action = state.chance_outcomes()[0][0] if player < 0 else state.legal_actions()[0]
                    bot.inform_action(state, player, action)
                state = state.child(action)
                if len(trips) >= given.moves:
                    break
            bot.leave(None, sound=True)
        slowest = sorted(trips)[int(0.99 * len(trips))]
        print(
            f"{name:28} {start:10.2f} {1e3 * median(games):15.3f} {1e3 * median(trips):17.3f} "
            f"{1e3 * slowest:18.3f}"
        )
    close_idle()


if __name__ == "__main__":
    main()
