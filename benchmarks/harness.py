"""What the tournament harness costs: its games a second beside a bare loop's, and two workers beside one.

    python benchmarks/harness.py

The bare loop asks the same random bots for moves, rolls by the cumulated chances, checks nothing and records
nothing. Processor time, best of several rounds by turns. The workers' figure is wall-clock time and wants an
idle machine.
"""

import random
import time

import pyspiel

from starspiel.agents.roster import bot_maker
from starspiel.envs.load import load_game
from starspiel.evaluation import Entrant, Pair, tournament
from starspiel.evaluation.match import Job

ROUNDS, PAIRS = 7, 300


def main() -> None:
    print("| game | bare loop, games/s | harness, games/s | ratio |")
    print("|---|---:|---:|---:|")
    for name in ("pig", "einstein_wurfelt_nicht"):
        bare, harness = 0.0, 0.0
        for _ in range(ROUNDS):
            bare, harness = max(bare, _bare(name)), max(harness, _harness(name))
        # Events, not games, are the unit: the two play different games.
        print(f"| {name} | {bare:,.0f} | {harness:,.0f} | {harness / bare:.2f} |")
    print("\n| workers | games/s, mcts(simulations=300) against itself on einstein_wurfelt_nicht |")
    print("|---:|---:|")
    agents = {"one": "mcts(simulations=300)", "two": "mcts(simulations=300)"}
    for workers in (1, 2):
        result = tournament("einstein_wurfelt_nicht", agents, pairs=100, workers=workers)
        print(f"| {workers} | {result.games / result.seconds:.1f} |")


def _bare(name: str) -> float:
    game = pyspiel.load_game(name)
    make = bot_maker("random", load_game(name))
    games = 2 * PAIRS
    began = time.process_time()
    events = sum(_bare_game(game, make, seed) for seed in range(games))
    return _typical(name) / ((time.process_time() - began) / events)


def _bare_game(game, make, seed: int) -> int:  # type: ignore[no-untyped-def]
    state = game.new_initial_state()
    bots = [make(0, seed), make(1, seed)]
    events = 0
    while not state.is_terminal():
        if state.is_chance_node():
            left = random.random()
            for outcome, chance in state.chance_outcomes():  # noqa: B007
                left -= chance
                if left < 0.0:
                    break
            state.apply_action(outcome)
        else:
            state.apply_action(bots[state.current_player()].step(state))
        events += 1
    return events


def _harness(name: str) -> float:
    make = bot_maker("random", load_game(name))
    field = (Entrant("one", lambda game, seat, seed: make(seat, seed)), Entrant("two", "random"))
    job = Job(load_game(name), field, 1)
    began = time.process_time()
    events = sum(len(g.actions) for number in range(PAIRS) for g in job.play(Pair((0, 1), number)).games)
    return _typical(name) / ((time.process_time() - began) / events)


def _typical(name: str) -> float:
    """Games per event, for figures in games a second."""
    return 1.0 / {"pig": 175.0, "einstein_wurfelt_nicht": 42.0}[name]


if __name__ == "__main__":
    main()
