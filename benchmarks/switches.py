"""What the switches of a search are worth, each beside the same search without it.

    python benchmarks/switches.py
    python benchmarks/switches.py merge
    python benchmarks/switches.py time
    python benchmarks/switches.py threads
    python benchmarks/switches.py resume

All with the game's heuristic, at positions that `drawn` draws by the seed 1, each to the deepest depth with
at most 300,000 nodes.

Without a word: how many times longer the fastest search takes, and how many times the nodes, with one thing
left out: pruning, probes, order, table, merging as the model has it. Every search must find the same value.
merge: milliseconds of processor time, best of 5 by turns, without merging, with it, and as the model has it.
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
from collections.abc import Iterator
from itertools import product
from time import perf_counter
from typing import Any
from unittest.mock import patch

from positions import GAMES, drawn
from searches import AGREEMENT, FULL, NATIVE, Searcher, timed_round

from starspiel.agents.search import Limits, search
from starspiel.agents.search.pace import Pace

SEED, POSITIONS = "1", 5
ROUNDS = 5
#: What is left out of the fastest search, and the seconds after which a search without it is given up.
LEFT_OUT: dict[str, dict[str, Any]] = {
    "pruning": {"prune": False},
    "probes": {"probes": 0},
    "order": {"order": False},
    "table": {"table_bytes": 0},
    "merging": {"merge": False},
}
PATIENCE = 10.0
#: Of a search; and of one that takes one thread about a second or more.
SHORT, LONG = 300_000, 10_000_000
#: Limits from a thousandth of a second to a tenth; and positions of each game.
NODES, MANY = (3_000, 30_000, 300_000), 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    tables = {"each": each, "merge": merge, "time": spend, "threads": threads, "resume": resume}
    parser.add_argument("switch", nargs="?", default="each", choices=tables)
    tables[parser.parse_args().switch]()


def each() -> None:
    print(f"| | all | {' | '.join(f'no {name}' for name in LEFT_OUT)} |")
    print("|---|---:|" + "---:|" * len(LEFT_OUT))
    for game in GAMES:
        # Of the positions together: (seconds, nodes) of the fastest search, and of it without each part.
        spent = {name: [0.0, 0] for name in ("all", *LEFT_OUT)}
        for searcher in _searchers(game):
            plies = searcher.deepest(SHORT)
            values = []
            for name, total in spent.items():
                run = searcher.native(FULL, plies, seconds=PATIENCE, **LEFT_OUT.get(name, {}))
                seconds, value = timed_round(run)
                total[0] += seconds
                total[1] += run()[0]
                values.append(value)
            if any(abs(value - values[0]) > AGREEMENT for value in values):  # nan if given up
                raise SystemExit(f"{game}: the searches found {values}")
        seconds, nodes = spent["all"]
        shown = [f"{own / seconds:.2f}, {count / nodes:.2f}" for own, count in list(spent.values())[1:]]
        print(f"| {game} | {1e3 * seconds:.1f} ms, {nodes:,} | {' | '.join(shown)} |", flush=True)


def merge() -> None:
    choices = (False, True, None)
    print("| | without | with | as it comes | without / with |")
    print("|---|---:|---:|---:|---:|")
    for game in GAMES:
        milliseconds = [0.0] * len(choices)
        for searcher in _searchers(game):
            plies = searcher.deepest(SHORT)
            best = [math.inf] * len(choices)
            for _ in range(ROUNDS):
                for i, choice in enumerate(choices):
                    best[i] = min(best[i], timed_round(searcher.native(FULL, plies, merge=choice))[0])
            milliseconds = [total + 1e3 * own for total, own in zip(milliseconds, best, strict=True)]
        shown = " | ".join(f"{total:.1f}" for total in milliseconds)
        print(f"| {game} | {shown} | {milliseconds[0] / milliseconds[1]:.2f} |", flush=True)


def spend() -> None:
    print("| | plies | thrown away | given back | plies lost | moves changed |")
    print("|---|---:|---:|---:|---:|---:|")
    for game in GAMES:
        states = [position.state for position in drawn(game, MANY, SEED)]
        searches = list(product(states, NODES))
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
            f"| {game} | {plies / len(searches):.1f} | {thrown / used:.0%} | {back / used:.0%} | "
            f"{lost} of {plies} | {changed} of {len(searches)} |",
            flush=True,
        )


def threads() -> None:
    print("| | one thread | the longer of two | times sooner | by the clock | nodes, times |")
    print("|---|---:|---:|---:|---:|---:|")
    for game in GAMES:
        searcher = next(_searchers(game))
        plies = searcher.deepest(LONG)
        found, clock, values = [], [], []
        for count in (1, 2):
            runs, took = [], []
            for _ in range(2):
                started = perf_counter()
                engine, value = _deepened(searcher, plies, threads=count)
                took.append(perf_counter() - started)
                values.append(value)
                runs.append(engine)
            found.append(min(runs, key=lambda engine: max(engine.thread_seconds)))
            clock.append(min(took))
        assert max(values) - min(values) < AGREEMENT, f"{game}: {values}"
        one, two = found
        seconds = [max(engine.thread_seconds) for engine in found]
        print(
            f"| {game}, {plies} plies | {seconds[0]:.2f} s | {seconds[1]:.2f} s | "
            f"{seconds[0] / seconds[1]:.2f} | {clock[0] / clock[1]:.2f} | "
            f"{two.counters()['nodes'] / one.counters()['nodes']:.2f} |",
            flush=True,
        )


def resume() -> None:
    print("| | table | outcomes listed | again | nodes | seconds |")
    print("|---|---:|---:|---:|---:|---:|")
    for game in GAMES:
        searcher = next(_searchers(game))
        plies = searcher.deepest(LONG)
        for megabytes in (1, 256):
            engine, _ = _deepened(searcher, plies, table_bytes=megabytes << 20)
            counts = engine.counters()
            print(
                f"| {game}, {plies} plies | {megabytes} MB | {counts['outcomes']:,} | "
                f"{counts['outcomes_again'] / max(1, counts['outcomes']):.1%} | {counts['nodes']:,} | "
                f"{engine.thread_seconds[0]:.2f} |",
                flush=True,
            )


def _searchers(game: str) -> Iterator[Searcher]:
    return (Searcher(position, "heuristic") for position in drawn(game, POSITIONS, SEED))


def _deepened(searcher: Searcher, plies: int, **changes: Any) -> tuple[Any, float]:
    """The native engine after an iterative deepening, and the value that it found."""
    plain, options = NATIVE[FULL]
    engine = searcher.engine(plain, options | changes)
    first: list[int] = []
    value = math.nan
    for depth in range(1, plies + 1):
        _, values = engine.root(searcher.root, depth, 0.0, None, None, first=first)
        action, value = searcher.best(values)
        first = [action]
    return engine, value


def _search(state: Any, limits: Limits, **options: Any) -> Any:
    return search(state, "star2", limits, "heuristic", exact_action_values=False, explain=False, **options)


if __name__ == "__main__":
    main()
