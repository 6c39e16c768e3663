"""What the tournament harness costs: its games a second beside bare loops', and two workers beside one.

    python benchmarks/harness.py

Two loops with the same random bots check nothing, time nothing and record nothing: the usual one, in the
style of OpenSpiel's own example.py, and the leanest, which asks for nothing twice and rolls by hand.
Processor time, the best of many rounds by turns; they play other games than the harness, so time an event is
compared. The workers' figure is wall-clock time and wants an idle machine.
"""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from starspiel.agents.roster import bot_maker
from starspiel.envs.load import load_game
from starspiel.evaluation import Pair, tournament
from starspiel.evaluation.job import Entrant, Job

ROUNDS, PAIRS = 30, 30
#: Events of a typical game, for figures in games a second.
GAMES = {"pig": 175, "einstein_wurfelt_nicht": 42}
Make = Callable[[int, int], Any]


def main() -> None:
    print("| game | usual loop, games/s | leanest loop | harness | against usual | against leanest |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, events in GAMES.items():
        players = (_loop(name, _usual_game), _loop(name, _leanest_game), _harness(name))
        seconds = [float("inf")] * 3
        for _ in range(ROUNDS):
            seconds = [
                min(best, _seconds_an_event(play)) for best, play in zip(seconds, players, strict=True)
            ]
        usual, leanest, harness = (1.0 / (events * each) for each in seconds)
        ratios = f"{harness / usual:.2f} | {harness / leanest:.2f}"
        print(f"| {name} | {usual:,.0f} | {leanest:,.0f} | {harness:,.0f} | {ratios} |")
    print(f"\nload of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    print("| workers | games/s, mcts(simulations=300) against itself on einstein_wurfelt_nicht | ratio |")
    print("|---:|---:|---:|")
    agents = {"one": "mcts(simulations=300)", "two": "mcts(simulations=300)"}
    rates: list[float] = []
    for workers in (1, 2):
        result = tournament("einstein_wurfelt_nicht", agents, pairs=100, workers=workers)
        rates.append(result.games / result.seconds)
        print(f"| {workers} | {rates[-1]:.1f} | {rates[-1] / rates[0]:.2f} |")


def _seconds_an_event(play: Callable[[], int]) -> float:
    began = time.process_time()
    events = play()
    return (time.process_time() - began) / events


def _loop(name: str, play_game: Callable[[Any, Make, int], int]) -> Callable[[], int]:
    game, make = pyspiel.load_game(name), bot_maker("random", load_game(name))
    return lambda: sum(play_game(game, make, seed) for seed in range(2 * PAIRS))


def _usual_game(game: Any, make: Make, seed: int) -> int:
    state = game.new_initial_state()
    bots = [make(0, seed), make(1, seed)]
    events = 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            action = np.random.choice(outcomes, p=chances)
        else:
            action = bots[state.current_player()].step(state)
        state.apply_action(action)
        events += 1
    return events


def _leanest_game(game: Any, make: Make, seed: int) -> int:
    state = game.new_initial_state()
    steps = make(0, seed).step, make(1, seed).step
    current_player, chance_outcomes, apply_action = (
        state.current_player,
        state.chance_outcomes,
        state.apply_action,
    )
    events = 0
    while (player := current_player()) >= -1:
        if player >= 0:
            apply_action(steps[player](state))
        else:
            left = random.random()
            for outcome, chance in chance_outcomes():  # noqa: B007
                left -= chance
                if left < 0.0:
                    break
            apply_action(outcome)
        events += 1
    return events


def _harness(name: str) -> Callable[[], int]:
    job = Job(load_game(name), (Entrant("one", "random"), Entrant("two", "random")), 1)
    pairs = [Pair((0, 1), number) for number in range(PAIRS)]
    return lambda: sum(len(game.actions) for pair in pairs for game in job.play(pair).games)


if __name__ == "__main__":
    main()
