"""Prints how often the 95 % intervals of a tournament hold the truth, and how often its tests err.

    python benchmarks/coverage.py

Tournaments with known strengths are drawn from the rating model: a round robin of 2, 3 or 6 agents whose
neighbours in strength are 0, 200 or 400 Elo apart, with seat 0 worth 30 Elo. `shared` is the share of pairs
in which the dice decide both games: what makes seat 0 win the first makes seat 0 win the second. A cell
shows Elo / score / seat: the share of all agents' Elo and mean-score intervals, and of the tournaments'
seat intervals, that hold the truth.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.statistics.bradley_terry import ELO
from starspiel.evaluation.statistics.comparisons import p_values
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.proportions import score_interval
from starspiel.evaluation.statistics.ratings import rate_all
from starspiel.evaluation.statistics.selection import most_telling_all

FIELDS = {2: 2000, 3: 1000, 6: 400}  # agents: tournaments
GAPS = (0, 200, 400)
PAIRS = (5, 10, 20, 50)
TESTED = (4, 5, 8, 10, 20, 50, 200)
SHARED = (0.0, 0.5)
SEAT = 30.0
Floats = NDArray[np.float64]


def main() -> None:
    rng = np.random.default_rng(1)
    print("| shared | agents | gap, Elo |" + "".join(f" {pairs} pairs |" for pairs in PAIRS))
    print("|---:|---:|---:|" + "---:|" * len(PAIRS))
    for shared in SHARED:
        for agents, tournaments in FIELDS.items():
            for gap in GAPS:
                strengths = -float(gap) * np.arange(agents)
                cells = [
                    _held(strengths - strengths.mean(), _played(strengths, pairs, shared, tournaments, rng))
                    for pairs in PAIRS
                ]
                print(f"| {shared:.0%} | {agents} | {gap} | {' | '.join(cells)} |", flush=True)
    print("\n| ladder of | gap, Elo | 100 pairs | 400 pairs |\n|---:|---:|---:|---:|")
    for agents in (3, 6, 12, 24):
        for gap in (0, 25):
            strengths = -float(gap) * np.arange(agents)
            cells = [_ladders(strengths, pairs, rng) for pairs in (100, 400)]
            print(f"| {agents} | {gap} | {' | '.join(cells)} |", flush=True)
    print("\n| equal agents, p < 5 % |" + "".join(f" {pairs} pairs |" for pairs in TESTED))
    print("|---|" + "---:|" * len(TESTED))
    for shared in SHARED:
        errors = [_errors(_played(np.zeros(2), pairs, shared, 5000, rng)) for pairs in TESTED]
        print(f"| {shared:.0%} shared | {' | '.join(errors)} |")


def _ladders(strengths: Floats, pairs: int, rng: np.random.Generator, ladders: int = 200) -> str:
    """How often the intervals of ladders hold, in per cent: a tenth of the pairs is chosen at a time."""
    agents = len(strengths)
    counts = np.zeros((ladders, agents, agents, 3, 3))
    for _ in range(10):
        chosen = most_telling_all(PairCounts(counts), pairs // 10, range(agents))
        for ladder, meetings in enumerate(chosen):
            for i, j in meetings.tolist():
                first, second = (int(rng.random() < chance) for chance in _wins(strengths, i, j))
                counts[ladder, i, j, 2 * first, 2 * second] += 1
    truth = strengths - strengths.mean()
    found = rate_all(PairCounts(counts), range(agents))
    return f"{100.0 * np.mean([(each.low <= truth) & (truth <= each.high) for each in found]):.1f}"


def _wins(strengths: Floats, i: int, j: int) -> tuple[float, float]:
    """i's chances against j in seat 0 and in seat 1."""
    apart = strengths[i] - strengths[j]
    first, second = (1.0 / (1.0 + np.exp(-(apart + seat) / ELO)) for seat in (SEAT, -SEAT))
    return float(first), float(second)


def _played(
    strengths: Floats, pairs: int, shared: float, tournaments: int, rng: np.random.Generator
) -> PairCounts:
    agents = len(strengths)
    counts = np.zeros((tournaments, agents, agents, 3, 3))
    for i, j in combinations(range(agents), 2):
        first, second = _wins(strengths, i, j)
        dice, own = rng.random((2, tournaments, pairs))
        together = rng.random((tournaments, pairs)) < shared
        won = [dice < first, np.where(together, 1.0 - dice, own) < second]
        for a in (0, 1):
            for b in (0, 1):
                counts[:, i, j, 2 * a, 2 * b] = ((won[0] == a) & (won[1] == b)).sum(axis=1)
    return PairCounts(counts)


def _held(truth: Floats, results: PairCounts) -> str:
    """The cell: how often Elo, score and seat were held, in per cent."""
    agents = len(truth)
    chances = [np.mean([np.mean(_wins(truth, i, j)) for j in range(agents) if j != i]) for i in range(agents)]
    found = rate_all(results, range(agents))
    elo = np.mean([(each.low <= truth) & (truth <= each.high) for each in found])
    low, high = score_interval(results)
    score = np.mean((low <= chances) & (chances <= high))
    seat = np.mean([each.seat_advantage[1] <= SEAT <= each.seat_advantage[2] for each in found])
    return " / ".join(f"{100.0 * share:.1f}" for share in (elo, score, seat))


def _errors(results: PairCounts) -> str:
    p = [p_values(PairCounts(counts))[0, 1] for counts in results.counts]
    return f"{100.0 * np.mean(np.array(p) < 0.05):.1f}"


if __name__ == "__main__":
    main()
