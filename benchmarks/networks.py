"""What batches of network values cost, and what Star2 saves of them: backgammon, the network that is shipped.

    python benchmarks/networks.py [--depth 2] [--positions 40] [--rounds 5] [--play random]

Prints first how many positions a second the network values on one core, one by one and in batches, and what a
position costs by a NumPy function of one's own (BatchEvaluator) called for one at a time and for batches;
then how many moves a second a search to one ply and Star2 to two plies find. Last, at the same positions,
expectiminimax and Star2 to the depth, which must find the same values: nodes, positions that the network
computed, and processor time, each the median over the positions of the ratio between the two, and the ratio
of the sums. The positions are of random games, or of games of the network against itself (--play net).
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyspiel

from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.network import NetworkEvaluator, network_from_file
from starspiel.agents.native_loader import native_status
from starspiel.envs.load import load_game

GAME = "backgammon"
FULL = {"prune": False, "probes": 0, "order": False}
STAR2 = {"prune": True, "probes": 1, "order": True}


@dataclass(frozen=True)
class Search:
    """What one search took."""

    values: dict[int, float]
    nodes: int
    computed: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--positions", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--play", choices=["random", "net"], default="random", help="how the positions came about"
    )
    parser.add_argument("--file", help="another network than the one that is shipped")
    arguments = parser.parse_args()
    core = native_status().module
    assert core is not None, native_status().reason
    evaluator = network_from_file(load_game(GAME), arguments.file)
    play = partial(greedy, core, evaluator) if arguments.play == "net" else at_random
    states = positions(arguments.positions, play)
    leaves(core, evaluator, states, arguments.rounds)
    moves(core, evaluator, states, arguments.rounds)
    compare(core, evaluator, states, arguments.depth, arguments.rounds)


def at_random(state: Any, draw: random.Random) -> int:
    chosen: int = draw.choice(state.legal_actions())
    return chosen


def greedy(core: Any, evaluator: NetworkEvaluator, state: Any, draw: random.Random) -> int:
    """The move that the network likes best, or a throw."""
    actions = state.legal_actions()
    if state.is_chance_node() or len(actions) == 1:
        return at_random(state, draw)
    values = run(core, state, network_of(core, evaluator), evaluator.range, 1, FULL).values
    return (max if state.current_player() == 0 else min)(values, key=values.__getitem__)


def positions(count: int, play: Callable[[Any, random.Random], int] = at_random) -> list[Any]:
    """Decision nodes of games that are so played, one of each game."""
    draw = random.Random(1)
    found: list[Any] = []
    game = pyspiel.load_game(GAME)
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(draw.randrange(4, 80)):
            if not state.is_terminal():
                state.apply_action(play(state, draw))
        if not state.is_terminal() and state.current_player() >= 0 and len(state.legal_actions()) > 1:
            found.append(state)
    return found


def network_of(core: Any, evaluator: NetworkEvaluator) -> Any:
    return core.Network(evaluator.network.layers, evaluator.encoder.units, evaluator.network.returns)


def compare(core: Any, evaluator: NetworkEvaluator, states: list[Any], depth: int, rounds: int) -> None:
    network = network_of(core, evaluator)
    searches: list[tuple[Search, Search]] = []
    for state in states:
        plain, pruned = (
            fastest(partial(run, core, state, network, evaluator.range, depth, how), rounds)
            for how in (FULL, STAR2)
        )
        best = max if state.current_player() == 0 else min
        assert abs(best(plain.values.values()) - best(pruned.values.values())) < 1e-9, str(state)
        searches.append((plain, pruned))
    seconds = [statistics.median(search[way].seconds for search in searches) for way in (0, 1)]
    print(f"expectiminimax / star2 at {depth} plies, {len(states)} positions, values equal:")
    print(f"  a position takes {1e3 * seconds[0]:.3g} and {1e3 * seconds[1]:.3g} ms (medians)")
    for name, field in (("nodes", "nodes"), ("network values", "computed"), ("processor time", "seconds")):
        both = np.array([[getattr(search, field) for search in pair] for pair in searches], dtype=float)
        low, middle, high = np.percentile(both[:, 0] / both[:, 1], [25, 50, 75])
        total = both[:, 0].sum() / both[:, 1].sum()
        print(f"  {name}: median {middle:.1f} (quartiles {low:.1f} to {high:.1f}), of the sums {total:.1f}")


def moves(core: Any, evaluator: NetworkEvaluator, states: list[Any], rounds: int) -> None:
    """Moves a second, over the time that all positions take."""
    network = network_of(core, evaluator)
    for name, depth, how in (("one ply", 1, FULL), ("star2, two plies", 2, STAR2)):
        done = [
            fastest(partial(run, core, state, network, evaluator.range, depth, how), 10 * rounds)
            for state in states
        ]
        each = [search.seconds for search in done]
        median = 1e6 * statistics.median(each)
        print(f"{name}: {len(each) / sum(each):,.0f} moves a second (median {median:.0f} microseconds)")


def run(
    core: Any, state: Any, evaluator: Any, bounds: tuple[float, float], depth: int, how: dict[str, Any]
) -> Search:
    options = core.Options(bounds=bounds, value_range=bounds, merge=True, table_bytes=0, **how)
    engine = core.Engine(state, True, evaluator, options)
    started = time.process_time()
    _, values = engine.root(state, depth, 0.0, None, None)
    seconds = time.process_time() - started
    counters = engine.counters()
    return Search(dict(values), counters["nodes"], counters["computed"], seconds)


def fastest(search: Callable[[], Search], rounds: int) -> Search:
    return min((search() for _ in range(rounds)), key=lambda done: done.seconds)


def leaves(core: Any, evaluator: NetworkEvaluator, states: list[Any], rounds: int) -> None:
    """Positions a second and microseconds a position, at two plies of expectiminimax."""
    network = network_of(core, evaluator)
    low, high = evaluator.range
    layers = evaluator.network.layers

    def in_numpy(rows: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        values = rows
        for weights, bias in layers[:-1]:
            values = values @ weights + bias
            values = np.maximum(values, np.float32(0.01) * values)
        weights, bias = layers[-1]
        return low + (high - low) / (1 + np.exp(-(values @ weights + bias)[:, 0]))

    function = BatchEvaluator(in_numpy, GAME)
    arrays = core.Arrays(function.own_values, len(evaluator.encoder.units))
    widest = core.lanes()
    narrower = [
        (f"the same, {count} numbers side by side", network, count) for count in (8, 4) if count < widest
    ]
    ways = [("the network in the core", network, widest), *narrower, ("the same in NumPy", arrays, widest)]
    for name, counterpart, lanes in ways:
        core.use_lanes(lanes)
        for how, batch in (("one by one", False), ("in batches", True)):
            some = states[: 10 if batch or counterpart is network else 2]
            done = [
                fastest(
                    partial(run, core, state, counterpart, (low, high), 2, FULL | {"batch": batch}), rounds
                )
                for state in some
            ]
            each = statistics.median(search.seconds / search.computed for search in done)
            print(f"{name}, {how}: {1e6 * each:.2f} microseconds a position, {1 / each:,.0f} a second")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
