"""Times Star2 with table, merging and ordering when it probes chance nodes from so many plies on.

    python benchmarks/probing.py

Plies count to the horizon: from 1 on is everywhere, as in the paper; the native search probes from 2 on.
Milliseconds of processor time at the positions of `python benchmarks/search.py`, best of 15, by turns.
"""

import math
from functools import partial

from searches import CELLS, FULL, NATIVE, fastest, position_of, run_native

from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.native_loader import native_status
from starspiel.envs.load import load_game

DEPTHS = (1, 2, 3, 4)
ROUNDS = 15


def main() -> None:
    core = native_status().module
    assert core is not None, native_status().reason
    plain, options = NATIVE[FULL]
    print(f"| | {' | '.join(f'from {depth}' for depth in DEPTHS)} |")
    print(f"|---|{'---:|' * len(DEPTHS)}")
    for cell in CELLS:
        state, evaluator = position_of(cell), make_evaluator("heuristic", load_game(cell.game))
        best = [math.inf] * len(DEPTHS)
        for _ in range(ROUNDS):
            for i, depth in enumerate(DEPTHS):
                changes = options | {"probe_depth": depth}
                run = partial(run_native, core, state, cell.depth, (plain, changes), evaluator, math.inf)
                best[i] = min(best[i], fastest(cell.game, cell.depth, run, 1).seconds)
        print(
            f"| {cell.game}, {cell.depth} plies | {' | '.join(f'{1e3 * s:.1f}' for s in best)} |", flush=True
        )


if __name__ == "__main__":
    main()
