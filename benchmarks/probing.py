"""Times Star2 with table, merging and ordering when it probes chance nodes from so many plies on.

    python benchmarks/probing.py

Plies count to the horizon: from 1 on is everywhere, as in the paper; the native search probes from 2 on.
Milliseconds of processor time with the heuristic, best of 15 by turns, of five positions a game that `drawn`
draws by the seed 1, each to the deepest depth with at most 300,000 nodes.
"""

import math

from positions import GAMES, drawn
from searches import FULL, Searcher, timed_round

DEPTHS = (1, 2, 3, 4)
ROUNDS, POSITIONS, NODES, SEED = 15, 5, 300_000, "1"


def main() -> None:
    print(f"| | {' | '.join(f'from {depth}' for depth in DEPTHS)} |")
    print(f"|---|{'---:|' * len(DEPTHS)}")
    for game in GAMES:
        milliseconds = [0.0] * len(DEPTHS)
        for position in drawn(game, POSITIONS, SEED):
            searcher = Searcher(position, "heuristic")
            plies = searcher.deepest(NODES)
            best = [math.inf] * len(DEPTHS)
            for _ in range(ROUNDS):
                for i, depth in enumerate(DEPTHS):
                    seconds, _ = timed_round(searcher.native(FULL, plies, probe_depth=depth))
                    best[i] = min(best[i], seconds)
            milliseconds = [spent + 1e3 * own for spent, own in zip(milliseconds, best, strict=True)]
        print(f"| {game} | {' | '.join(f'{spent:.1f}' for spent in milliseconds)} |", flush=True)


if __name__ == "__main__":
    main()
