"""What the switches of a search are worth, each beside the same search without it.

    python benchmarks/switches.py
    python benchmarks/switches.py merge
    python benchmarks/switches.py time
    python benchmarks/switches.py threads
    python benchmarks/switches.py resume

All at the positions of `python benchmarks/search.py`, with the game's heuristic.

Without a word: how many times longer the fastest search takes, and how many times the nodes, with one thing
left out: pruning, probes, order, table, merging as the model has it. Every search must find the same value.
merge: milliseconds of processor time, best of 15 by turns, without merging, with it, and as the model has it.
time: ten positions a game, at most 3,000, 30,000 and 300,000 nodes: how many of these were in iterations
that did not finish, how many are given back, how many plies less are searched for it, and how many moves the
unfinished iterations changed.
threads: seconds of processor time of one thread, and of the one of two that took longer: best of two; and
times sooner by the clock, which means something only if nothing else runs.
resume: of the outcomes that chance nodes list in a deepening search, those of nodes searched before, to the
same depth.
"""

import argparse
import math
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any
from unittest.mock import patch

from searches import (
    AGREEMENT,
    CELLS,
    FULL,
    NATIVE,
    Cell,
    Row,
    fastest,
    position_of,
    run_native,
)

from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.search import Limits, search
from starspiel.agents.search.pace import Pace
from starspiel.envs.load import load_game

ROUNDS = 15
#: What is left out of the fastest search, and the seconds after which a search without it is given up.
LEFT_OUT: dict[str, dict[str, Any]] = {
    "pruning": {"prune": False},
    "probes": {"probes": 0},
    "order": {"order": False},
    "table": {"table_bytes": 0},
    "merging": {"merge": False},
}
PATIENCE = 60.0
#: Plies that take one thread about a second or more.
LONG = {
    "backgammon": 4,
    "einstein_wurfelt_nicht": 9,
    "maedn(players=2)": 8,
    "yacht(players=2)": 5,
    "banqi": 7,
    "pig": 16,
    "connect_four": 17,
}
CONNECT_FOUR = Cell("connect_four", 10, 5, (3, 3, 2, 4, 4))
#: From a thousandth of a second to a tenth; and positions of each game.
NODES, POSITIONS = (3_000, 30_000, 300_000), 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    tables = {"each": each, "merge": merge, "time": spend, "threads": threads, "resume": resume}
    parser.add_argument("switch", nargs="?", default="each", choices=tables)
    tables[parser.parse_args().switch]()


def each() -> None:
    core = native_status().module
    assert core is not None, native_status().reason
    plain, options = NATIVE[FULL]
    print(f"| | all | {' | '.join(f'no {name}' for name in LEFT_OUT)} |")
    print("|---|---:|" + "---:|" * len(LEFT_OUT))
    for cell in (*CELLS, CONNECT_FOUR):
        state, evaluator = position_of(cell), make_evaluator("heuristic", load_game(cell.game))

        def run(changes: dict[str, Any], cell: Cell = cell, state: Any = state, by: Any = evaluator) -> Row:
            search = partial(run_native, core, state, cell.depth, (plain, options | changes), by, PATIENCE)
            return fastest(cell.game, cell.depth, search, 3)

        whole = run({})
        shown = []
        for name, changes in LEFT_OUT.items():
            row = run(changes)
            if row.value is None or row.nodes is None or whole.value is None or whole.nodes is None:
                shown.append(f"over {PATIENCE:g} s")
                continue
            if abs(row.value - whole.value) > AGREEMENT:
                raise SystemExit(f"{cell.game} without {name} is worth {row.value}, not {whole.value}")
            shown.append(f"{row.seconds / whole.seconds:.2f}, {row.nodes / whole.nodes:.2f}")
        print(
            f"| {cell.game}, {cell.depth} plies | {1e3 * whole.seconds:.1f} ms, {whole.nodes:,} | "
            f"{' | '.join(shown)} |",
            flush=True,
        )


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
    print("| | plies | thrown away | given back | plies lost | moves changed |")
    print("|---|---:|---:|---:|---:|---:|")
    for cell in (*CELLS, CONNECT_FOUR):
        searches = list(product(_positions(cell, POSITIONS), NODES))
        plies = lost = changed = thrown = used = back = 0
        for state, nodes in searches:
            given = _search(state, Limits(nodes=nodes))
            with patch.object(Pace, "next_fits", lambda pace: True):  # as if nothing were given back
                kept = _search(state, Limits(nodes=nodes))
                completed = _search(state, Limits(nodes=nodes, depth=max(1, kept.depth)))
            thrown += kept.nodes - completed.nodes
            used += kept.nodes
            plies += kept.depth
            lost += kept.depth - given.depth
            changed += bool(kept.unfinished)
            back += kept.nodes - given.nodes
        print(
            f"| {cell.game} | {plies / len(searches):.1f} | {thrown / used:.0%} | {back / used:.0%} | "
            f"{lost} of {plies} | {changed} of {len(searches)} |",
            flush=True,
        )


def threads() -> None:
    print("| | one thread | the longer of two | times sooner | by the clock | nodes, times |")
    print("|---|---:|---:|---:|---:|---:|")
    for cell in (*CELLS, CONNECT_FOUR):
        state = position_of(cell)
        found, clock, values = [], [], []
        for count in (1, 2):
            runs, took = [], []
            for _ in range(2):
                started = perf_counter()
                engine, value = _deepened(cell, state, threads=count)
                took.append(perf_counter() - started)
                values.append(value)
                runs.append(engine)
            found.append(min(runs, key=lambda engine: max(engine.thread_seconds)))
            clock.append(min(took))
        assert max(values) - min(values) < AGREEMENT, f"{cell.game}: {values}"
        one, two = found
        seconds = [max(engine.thread_seconds) for engine in found]
        print(
            f"| {cell.game}, {LONG[cell.game]} plies | {seconds[0]:.2f} s | {seconds[1]:.2f} s | "
            f"{seconds[0] / seconds[1]:.2f} | {clock[0] / clock[1]:.2f} | "
            f"{two.counters()['nodes'] / one.counters()['nodes']:.2f} |",
            flush=True,
        )


def resume() -> None:
    print("| | table | outcomes listed | again | nodes | seconds |")
    print("|---|---:|---:|---:|---:|---:|")
    for cell in CELLS:
        state = position_of(cell)
        for megabytes in (1, 256):
            engine, _ = _deepened(cell, state, table_bytes=megabytes << 20)
            counts = engine.counters()
            print(
                f"| {cell.game}, {LONG[cell.game]} plies | {megabytes} MB | {counts['outcomes']:,} | "
                f"{counts['outcomes_again'] / counts['outcomes']:.1%} | {counts['nodes']:,} | "
                f"{engine.thread_seconds[0]:.2f} |",
                flush=True,
            )


def _deepened(cell: Cell, state: Any, **changes: Any) -> tuple[Any, float]:
    """The native engine after an iterative deepening to LONG plies, and the value that it found."""
    core = native_status().module
    assert core is not None, native_status().reason
    plain, options = NATIVE[FULL]
    evaluator = make_evaluator("heuristic", load_game(cell.game))
    every = {"prune": True, "probes": 1, "bounds": (-1.0, 1.0), "value_range": evaluator.range}
    engine = core.Engine(state, plain, core.Heuristic(), core.Options(**every | options | changes))
    best: list[int] = []
    for depth in range(1, LONG[cell.game] + 1):
        _, values = engine.root(state, depth, True, None, None, None, best)
        sign = -1 if state.current_player() == 0 else 1
        best = [action for action, _ in sorted(values, key=lambda pair: sign * pair[1])]
    return engine, dict(values)[best[0]]


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
