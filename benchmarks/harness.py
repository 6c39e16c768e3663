"""What the tournament harness costs: beside a bare loop with the same moves, and two workers beside one.

    python benchmarks/harness.py

The bare loop steps the bots, rolls by hand and applies what was played: it checks, times and records
nothing. (To play the harness's games it puts the harness's dice in the place of its own.) Bots play
random moves after a search of the given length, which is a count of rounds and so the same work in both.
Processor time per event, for each game the best of many rounds by turns. The workers' figure is wall-
clock time and wants an idle machine.
"""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import pyspiel

from starspiel.envs.load import load_game
from starspiel.evaluation import Pair, tournament
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.referee import Referee

GAMES = ("pig", "einstein_wurfelt_nicht", "backgammon")
#: Milliseconds of a move, and pairs that are played a round.
MOVES = ((0.0, 5), (0.2, 2), (1.0, 1))
ROUNDS = 30


class Busy(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no type hints
    """Counts to `rounds`, and plays a random move."""

    last_nodes = None

    def __init__(self, seed: int, rounds: int) -> None:
        super().__init__()
        self._random, self._rounds = random.Random(seed), rounds

    def step(self, state: Any) -> int:
        for _ in range(self._rounds):
            pass
        return int(self._random.choice(state.legal_actions()))


Busy.__module__ = "starspiel.benchmarks"  # shown the game itself, as our own bots are


def main() -> None:
    rounds_a_millisecond = _rounds_a_millisecond()
    print("| game | ms a move | bare loop, µs an event | harness | on top |")
    print("|---|---:|---:|---:|---:|")
    for name in GAMES:
        for milliseconds, pairs in MOVES:
            bare, harness = _compared(name, round(milliseconds * rounds_a_millisecond), pairs)
            share = harness / bare - 1
            print(
                f"| {name} | {milliseconds:g} | {1e6 * bare:.1f} | {1e6 * harness:.1f} | {share:.1%} |",
                flush=True,
            )
    print(f"\nload of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    print("| workers | games/s, mcts(simulations=300) against itself on einstein_wurfelt_nicht | ratio |")
    print("|---:|---:|---:|")
    agents = {"one": "mcts(simulations=300)", "two": "mcts(simulations=300)"}
    rates: list[float] = []
    for workers in (1, 2):
        result = tournament("einstein_wurfelt_nicht", agents, pairs=100, workers=workers)
        rates.append(result.games / result.seconds)
        print(f"| {workers} | {rates[-1]:.1f} | {rates[-1] / rates[0]:.2f} |")


def _rounds_a_millisecond() -> float:
    best = float("inf")
    for _ in range(20):
        began = time.process_time()
        for _ in range(100_000):
            pass
        best = min(best, time.process_time() - began)
    return 100.0 / best


def _compared(name: str, rounds: int, pairs: int) -> tuple[float, float]:
    """Seconds an event of the bare loop and of the harness."""
    game, seeds = pyspiel.load_game(name), {}

    def make(_: Any, seat: int, seed: int) -> Busy:
        seeds[seat] = seed
        return Busy(seed, rounds)

    referee = Referee.of(load_game(name), (Entrant("one", make), Entrant("two", make)), 1)
    games = [(Pair((0, 1), number), seats) for number in range(pairs) for seats in ((0, 1), (1, 0))]
    seconds, events = [0.0, 0.0], 0
    for pair, seats in games:
        actions = referee.play_game(pair, seats).actions
        own = dict(seeds)
        events += len(actions)
        plays: tuple[Callable[[], object], ...] = (
            lambda: _bare_game(game, [Busy(own[0], rounds), Busy(own[1], rounds)], actions),  # noqa: B023
            lambda: referee.play_game(pair, seats),  # noqa: B023
        )
        best = [float("inf")] * 2
        for _ in range(ROUNDS):
            best = [min(least, _seconds(play)) for least, play in zip(best, plays, strict=True)]
        seconds = [before + least for before, least in zip(seconds, best, strict=True)]
    return seconds[0] / events, seconds[1] / events


def _seconds(play: Callable[[], object]) -> float:
    began = time.process_time()
    play()
    return time.process_time() - began


def _bare_game(game: Any, bots: list[Busy], actions: tuple[int, ...]) -> None:
    state, number = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            left = random.random()
            for _, chance in state.chance_outcomes():
                left -= chance
                if left < 0.0:
                    break
            action = actions[number]
        else:
            action = bots[state.current_player()].step(state)
        state.apply_action(action)
        number += 1


if __name__ == "__main__":
    main()
