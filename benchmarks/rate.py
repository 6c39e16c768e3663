"""Compares the node rate of plain expectiminimax in Python with OpenSpiel's Python one, side by side.

    python benchmarks/rate.py

Both search the same tree with the same evaluator by turns; the ratio above 1 is how much faster starspiel is.
"""

import statistics
import time

import pyspiel
from open_spiel.python.algorithms import minimax

import starspiel

CASES = [("pig", 6, (0, 3)), ("backgammon", 2, ()), ("tic_tac_toe", 6, ())]
ROUNDS = 9


def _zero(state: pyspiel.State) -> float:
    return 0.0


def main() -> None:
    print("| game | depth | nodes | nodes/s | times OpenSpiel's |")
    print("|---|---:|---:|---:|---:|")
    for name, depth, actions in CASES:
        state = pyspiel.load_game(name).new_initial_state()
        for action in actions:
            state.apply_action(action)
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        ratios, rates, nodes = [], [], 0
        for _ in range(ROUNDS):
            begun = time.process_time()
            minimax.expectiminimax(state, depth, _zero, 0)
            between = time.process_time()
            nodes = starspiel.search(
                state, "expectiminimax", starspiel.Limits(depth=depth), _zero, engine="python", explain=False
            ).nodes
            ended = time.process_time()
            ratios.append((between - begun) / (ended - between))
            rates.append(nodes / (ended - between))
        rate = statistics.median(rates)
        print(f"| {name} | {depth} | {nodes:,} | {rate:,.0f} | {statistics.median(ratios):.2f} |", flush=True)


if __name__ == "__main__":
    main()
