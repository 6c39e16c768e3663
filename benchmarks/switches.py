"""What the switches of a search are worth, each beside the same search without it.

    python benchmarks/switches.py merge
    python benchmarks/switches.py time
    python benchmarks/switches.py threads
    python benchmarks/switches.py resume

All at the positions of `starspiel bench search`, with the game's heuristic.

merge: milliseconds of processor time, best of 15 by turns, without merging, with it, and as the model has it.
time: ten searches a game under a time limit, with the rest of the time used up and with it given back.
threads: wall-clock seconds of one thread and of two, best of three by turns; wants two idle processors.
resume: of the outcomes that chance nodes list in a deepening search, those of nodes searched before, to the
same depth.
"""

import argparse
import math
import time
from functools import partial
from typing import Any

from starspiel.agents.evaluators.roster import make_evaluator
from starspiel.agents.search import Limits, search
from starspiel.agents.search.benchmark import CELLS, FULL, NATIVE, Cell, fastest, position_of, run_native
from starspiel.agents.search.core import native_status
from starspiel.envs.load import load_game

ROUNDS = 15
#: Plies that take one thread about a second or more.
LONG = {
    "backgammon": 4,
    "einstein_wurfelt_nicht": 9,
    "maedn(players=2)": 9,
    "yacht(players=2)": 4,
    "banqi": 6,
    "pig": 16,
    "connect_four": 14,
}
CONNECT_FOUR = Cell("connect_four", 10, 5, (3, 3, 2, 4, 4))
SECONDS = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("switch", choices=("merge", "time", "threads", "resume"))
    {"merge": merge, "time": spend, "threads": threads, "resume": resume}[parser.parse_args().switch]()


def merge() -> None:
    core = native_status().module
    assert core is not None, native_status().reason
    plain, options = NATIVE[FULL]
    choices = (False, True, None)
    print("| | without | with | as it comes | without / with |")
    print("|---|---:|---:|---:|---:|")
    for cell in (*CELLS, CONNECT_FOUR):
        state, evaluator = position_of(cell), make_evaluator("heuristic", load_game(cell.game))
        best = [math.inf] * len(choices)
        for _ in range(ROUNDS):
            for i, choice in enumerate(choices):
                features = (plain, options | {"merge": choice})
                run = partial(run_native, core, state, cell.depth, features, evaluator, math.inf)
                best[i] = min(best[i], fastest(cell.game, cell.depth, run, 1).seconds)
        shown = " | ".join(f"{1e3 * seconds:.1f}" for seconds in best)
        print(f"| {cell.game}, {cell.depth} plies | {shown} | {best[0] / best[1]:.2f} |", flush=True)


def spend() -> None:
    print("| | depth | nodes thrown away | time given back | plies lost | moves that changed |")
    print("|---|---:|---:|---:|---:|---:|")
    for cell in (*CELLS, CONNECT_FOUR):
        states = _positions(cell, 10)
        limits = Limits(seconds=SECONDS)
        depth = lost = changed = 0
        thrown = nodes = 0
        back = 0.0
        for state in states:
            kept, given = (_search(state, limits, give_back=choice) for choice in (False, True))
            useful = _search(state, Limits(depth=kept.depth, nodes=10**15), give_back=False)
            thrown += max(0, kept.nodes - useful.nodes)
            nodes += kept.nodes
            depth += kept.depth
            lost += max(0, kept.depth - given.depth)
            changed += bool(kept.unfinished)
            back += max(0.0, SECONDS - given.seconds)
        print(
            f"| {cell.game} | {depth / len(states):.1f} | {thrown / nodes:.0%} | "
            f"{back / SECONDS / len(states):.0%} | {lost} of {len(states)} | {changed} of {len(states)} |",
            flush=True,
        )


def threads() -> None:
    print("| | one thread | two | times sooner | nodes, times |")
    print("|---|---:|---:|---:|---:|")
    for cell in (*CELLS, CONNECT_FOUR):
        state, limits = position_of(cell), Limits(depth=LONG[cell.game], seconds=600)
        best: list[Any] = [None, None]
        for _ in range(3):
            for i in range(2):
                result = _search(state, limits, threads=i + 1, give_back=False)
                if best[i] is None or result.seconds < best[i].seconds:
                    best[i] = result
        one, two = best
        assert math.isclose(one.value, two.value, abs_tol=1e-9), (one.value, two.value)
        assert one.best_actions == two.best_actions, (one.best_actions, two.best_actions)
        print(
            f"| {cell.game}, {one.depth} plies | {one.seconds:.2f} s | {two.seconds:.2f} s | "
            f"{one.seconds / two.seconds:.2f} | {two.nodes / one.nodes:.2f} |",
            flush=True,
        )


def resume() -> None:
    core = native_status().module
    assert core is not None, native_status().reason
    print("| | table | outcomes listed | again | nodes | seconds |")
    print("|---|---:|---:|---:|---:|---:|")
    plain, options = NATIVE[FULL]
    for cell in CELLS:
        state, evaluator = position_of(cell), make_evaluator("heuristic", load_game(cell.game))
        for megabytes in (1, 256):
            every: dict[str, Any] = {"prune": True, "probes": 1}
            every |= {"bounds": (-1.0, 1.0), "value_range": evaluator.range} | options
            engine = core.Engine(
                state, plain, "heuristic", core.Options(**every | {"table_bytes": megabytes << 20})
            )
            started = time.process_time()
            for depth in range(1, LONG[cell.game]):
                engine.root(state, depth, True, None, None)
            seconds = time.process_time() - started
            counts = engine.counters()
            print(
                f"| {cell.game}, {LONG[cell.game] - 1} plies | {megabytes} MB | {counts['outcomes']:,} | "
                f"{counts['outcomes_again'] / counts['outcomes']:.1%} | {counts['nodes']:,} | "
                f"{seconds:.2f} |",
                flush=True,
            )


def _search(state: Any, limits: Limits, **options: Any) -> Any:
    return search(state, "star2", limits, "heuristic", exact_action_values=False, explain=False, **options)


def _positions(cell: Cell, count: int) -> list[Any]:
    """The decision nodes on the way to the cell's position, the last ones, but for forced moves."""
    state = load_game(cell.game).new_initial_state()
    states = []
    for action in (*cell.history, None):
        if state.current_player() >= 0 and len(state.legal_actions()) > 1:
            states.append(state)
        if action is not None:
            state = state.child(action)
    return states[-count:]


if __name__ == "__main__":
    main()
