"""What it costs that an agent sits in a process of its own: a round trip, a game, a start.

    python benchmarks/seats.py [--moves 2000] [--game pig]

A round trip is a question with the event before it, the engine's answer, and both ends' work: positions
kept, JSON written and read. On a machine that is busy with other things, the median shows those; the fastest
tenth of the round trips, and the CPU time of one (both processes together), do not.
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.pool import close_idle
from starspiel.envs.base import Game
from starspiel.envs.load import load_game

ENGINE = Path(__file__).parents[1] / "examples" / "engines" / "first_engine.py"
SEATS = {
    "random, in Python's host": "random",
    "first_engine.py": f"exec:{sys.executable} {ENGINE}",
}


def timed(command: tuple[str, ...], game: Game, moves: int) -> tuple[list[float], list[float], float]:
    """Seconds of each round trip and of each beginning of a game, and CPU seconds of a round trip."""
    trips: list[float] = []
    games: list[float] = []
    cpu = 0.0
    while len(trips) < moves:
        began = perf_counter()
        bot = SeatBot(command, game, 0, len(trips))
        games.append(perf_counter() - began)
        state = game.new_initial_state()
        while not state.is_terminal() and len(trips) < moves:
            player = state.current_player()
            if player == 0:
                before = process_time() + bot.cpu_seconds()
                began = perf_counter()
                action = bot.step(state)
                trips.append(perf_counter() - began)
                cpu += process_time() + bot.cpu_seconds() - before
            else:
                action = state.chance_outcomes()[0][0] if player < 0 else state.legal_actions()[0]
                bot.inform_action(state, player, action)
            state = state.child(action)
        bot.leave(None, sound=True)
    return trips, games, cpu / len(trips)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=2000)
    parser.add_argument("--game", default="pig")
    given = parser.parse_args()
    game = load_game(given.game)
    print("engine                      start (s)  new game (ms)  round trip: median (ms)  fastest 10 %  CPU")
    for name, spec in SEATS.items():
        began = perf_counter()
        SeatBot(command_of(spec), game, 0, 1).leave(None, sound=True)
        start = perf_counter() - began
        trips, games, cpu = timed(command_of(spec), game, given.moves)
        fastest = sorted(trips)[len(trips) // 10]
        print(
            f"{name:25} {start:11.2f} {1e3 * median(games):14.3f} {1e3 * median(trips):24.3f} "
            f"{1e3 * fastest:13.3f} {1e3 * cpu:.3f}"
        )
    close_idle()


if __name__ == "__main__":
    main()
