"""Prints how often the 95 % intervals of a tournament hold the truth, and how often its tests err.

    python benchmarks/coverage.py
    python benchmarks/coverage.py blocks

Tournaments with known strengths are drawn from the rating model: a round robin of 2, 3 or 6 agents whose
neighbours in strength are 0, 200 or 400 Elo apart, with seat 0 worth 30 Elo. `shared` is the share of pairs
in which the dice decide both games: what makes seat 0 win the first makes seat 0 win the second. A cell
shows Elo / score / seat: the share of all agents' Elo and mean-score intervals, and of the tournaments'
seat intervals, that hold the truth. Then gauntlets, in which all pairs are the first agent's: Elo against the
mean of the field; for the agent for whom they hold least often, Elo as shown, with the zero that the results
choose, and score. Ladders show coverage, that of the worst agent, and the greatest bias in Elo; sequential
tests show bias and coverage of Elo as if the number of pairs had been fixed, and adjusted for stopping. Last
come mean returns of a skewed distribution, what is looked at again and again, and p-values between equal
agents. Before these, blocks of three and four seats, of agents that are so far apart in Elo and whose first
seat may be worth more than the last: the share of mean returns / shares of wins / Elo that are held, of the
intervals that there are (blocks that are all alike give none of mean returns). `shared` is here the share of
games whose dice are those of their block. With the argument `blocks` nothing else is printed.
"""

import sys
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.lineups import blocks
from starspiel.evaluation.statistics.after_sprt import ratings_after
from starspiel.evaluation.statistics.always_valid import always_valid_mean_p, log_capital
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.bradley_terry import ELO
from starspiel.evaluation.statistics.comparisons import p_values
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.means import mean_interval
from starspiel.evaluation.statistics.plackett_luce import rate_blocks
from starspiel.evaluation.statistics.proportions import score_interval
from starspiel.evaluation.statistics.ratings import rate, rate_all
from starspiel.evaluation.statistics.selection import most_telling_all
from starspiel.evaluation.statistics.sprt import Sprt

FIELDS = {2: 2000, 3: 1000, 6: 400}  # agents: tournaments
GAPS = (0, 200, 400)
PAIRS = (5, 10, 20, 50)
TESTED = (4, 5, 8, 10, 20, 50, 200)
SHARED = (0.0, 0.5)
SEAT = 30.0
LADDERS = (100, 300, 1000)
LOOKS = range(10, 1001, 10)
TEST = Sprt(0.0, 50.0, normalized=False)
Floats = NDArray[np.float64]
#: Values with the mean 0, a thousand of each.
SHAPES = {
    "normal": lambda rng: rng.normal(size=1000),
    "lognormal, sigma 1": lambda rng: rng.lognormal(0.0, 1.0, 1000) - np.exp(0.5),
    "lognormal, sigma 2": lambda rng: rng.lognormal(0.0, 2.0, 1000) - np.exp(2.0),
    "-1 or 9": lambda rng: rng.choice([-1.0, 9.0], p=[0.9, 0.1], size=1000),
    "-1, 0 or 19, once in 50": lambda rng: rng.choice([-1.0, 0.0, 19.0], p=[0.38, 0.6, 0.02], size=1000),
}


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
    print("\n| gauntlet of | gap, Elo |" + "".join(f" {pairs} pairs |" for pairs in PAIRS))
    print("|---:|---:|" + "---:|" * len(PAIRS))
    for agents, gap in ((3, 0), (6, 0), (6, 100), (6, 200), (6, 400)):
        cells = [_gauntlets(agents, gap, pairs, rng) for pairs in PAIRS]
        print(f"| {agents} | {gap} | {' | '.join(cells)} |", flush=True)
    print("\n| ladder of | strengths |" + "".join(f" {pairs} pairs |" for pairs in LADDERS))
    print("|---:|---|" + "---:|" * len(LADDERS))
    for agents in (3, 6, 12, 24):
        places = np.arange(agents)
        for name, strengths in (
            ("equal", 0.0 * places),
            ("25 Elo apart", -25.0 * places),
            ("pairs of equals, 50 Elo apart", -50.0 * (places // 2)),
        ):
            print(f"| {agents} | {name} | {' | '.join(_ladders(strengths, rng))} |", flush=True)
    print(f"\n| {TEST}, true Elo | bias | coverage | adjusted: bias | coverage |\n|---:|---:|---:|---:|---:|")
    for elo in (-20.0, 0.0, 25.0, 50.0, 100.0):
        print(f"| {elo:g} | {_stopped(elo, rng)} |", flush=True)
    _print_blocks(rng)
    print("\n| lognormal returns, sigma |" + "".join(f" {pairs} pairs |" for pairs in PAIRS))
    print("|---:|" + "---:|" * len(PAIRS))
    for sigma in (0.5, 1.0, 1.5):
        print(f"| {sigma} | {' | '.join(_skewed(sigma, pairs, rng) for pairs in PAIRS)} |", flush=True)
    print("\n| looked at after each of | true score | held all the time |\n|---:|---:|---:|")
    for score in (0.5, 0.6):
        print(f"| 200 pairs | {score} | {_always(score, 200, rng)} |", flush=True)
    print("\n| mean looked at every 10 of 1,000 pairs | p below 5 % at some time |\n|---|---:|")
    for name, drawn in SHAPES.items():
        least = [min(always_valid_mean_p(own[:size]) for size in LOOKS) for own in map(drawn, [rng] * 300)]
        print(f"| {name} | {100.0 * np.mean(np.array(least) < 0.05):.1f} |", flush=True)
    print("\n| equal agents, p < 5 % |" + "".join(f" {pairs} pairs |" for pairs in TESTED))
    print("|---|" + "---:|" * len(TESTED))
    for shared in SHARED:
        errors = [_errors(_played(np.zeros(2), pairs, shared, 5000, rng)) for pairs in TESTED]
        print(f"| {shared:.0%} shared | {' | '.join(errors)} |")


def _print_blocks(rng: np.random.Generator) -> None:
    """The table of blocks."""
    least = "".join(f" {blocks} blocks |" for blocks in PAIRS)
    print(
        f"\n| seats | agents | shared | first seat ahead by | agents apart by |{least}\n|"
        + "---:|" * 5
        + "---:|" * len(PAIRS)
    )
    for agents, seats in ((3, 3), (2, 3), (6, 3), (4, 4), (2, 4), (3, 4), (6, 4)):
        for shared, ahead, gap in ((0.0, 0.0, 0.0), (0.5, 1.0, 0.0), (0.5, 1.0, 0.5)):
            cells = [_blocks(agents, seats, shared, ahead, gap, blocks, rng) for blocks in PAIRS]
            said = f"{seats} | {agents} | {shared:.0%} | {ahead * ELO:.0f} Elo | {gap * ELO:.0f} Elo"
            print(f"| {said} | {' | '.join(cells)} |", flush=True)


def _ladders(strengths: Floats, rng: np.random.Generator, ladders: int = 150) -> list[str]:
    """Cells of ladders of growing length, in which ten pairs are chosen at a time."""
    agents = len(strengths)
    counts = np.zeros((ladders, agents, agents, 3, 3))
    every, truth = np.arange(ladders)[:, None], strengths - strengths.mean()
    cells = []
    for pairs in range(10, LADDERS[-1] + 1, 10):
        i, j = np.moveaxis(most_telling_all(PairCounts(counts), 10, range(agents)), -1, 0)
        apart = strengths[i] - strengths[j]
        won = [rng.random(i.shape) < 1.0 / (1.0 + np.exp(-(apart + seat) / ELO)) for seat in (SEAT, -SEAT)]
        np.add.at(counts, (every, i, j, 2 * won[0], 2 * won[1]), 1)
        if pairs in LADDERS:
            found = rate_all(PairCounts(counts), range(agents))
            held = np.mean([(each.low <= truth) & (truth <= each.high) for each in found], axis=0)
            bias = np.abs(np.mean([each.elo for each in found], axis=0) - truth).max()
            cells.append(f"{100.0 * held.mean():.1f} / {100.0 * held.min():.1f} / {bias:.0f}")
    return cells


def _gauntlets(agents: int, gap: float, pairs: int, rng: np.random.Generator) -> str:
    """The cell of tournaments in which the first agent, the strongest, meets each of the others."""
    strengths = -float(gap) * np.arange(agents)
    counts = _played(strengths, pairs, 0.0, 400, rng).counts
    counts[:, 1:, 1:] = 0.0
    truth = strengths - strengths.mean()
    field = [(e.low <= truth) & (truth <= e.high) for e in rate_all(PairCounts(counts), range(agents))]
    shown = []
    for own in counts:
        each = rate(PairCounts(own))
        from_zero = strengths - strengths[list(each.zero)].mean()
        shown.append((each.low <= from_zero) & (from_zero <= each.high))
    lost = [1.0 - np.mean(_wins(strengths, 0, j)) for j in range(1, agents)]
    chances = np.array([1.0 - np.mean(lost), *lost])
    low, high = score_interval(PairCounts(counts))
    score = np.mean((low <= chances) & (chances <= high), axis=0)
    worst = np.mean(shown, axis=0).min()
    return f"{100.0 * np.mean(field):.1f} / {100.0 * worst:.1f} / {100.0 * score.min():.1f}"


def _stopped(elo: float, rng: np.random.Generator, matches: int = 400) -> str:
    """Bias and coverage of a match's Elo difference after the sequential test, plain and adjusted."""
    chances = _wins(np.array([elo, 0.0]), 0, 1)
    errors, held = [], []
    for _ in range(matches):
        counts = np.zeros((2, 2, 3, 3))
        while TEST.verdict(PairCounts(counts).five(0, 1)) is None:
            first, second = (2 * int(rng.random() < chance) for chance in chances)
            counts[0, 1, first, second] += 1
        results = PairCounts(counts)
        plain = rate(results)
        both = plain, ratings_after(TEST, results, plain)
        errors.append([2.0 * each.elo[0] - elo for each in both])
        held.append([2.0 * each.low[0] <= elo <= 2.0 * each.high[0] for each in both])
    columns = zip(np.mean(errors, axis=0), 100.0 * np.mean(held, axis=0), strict=True)
    return " | ".join(f"{bias:+.0f} | {share:.1f}" for bias, share in columns)


def _skewed(sigma: float, pairs: int, rng: np.random.Generator, samples: int = 1000) -> str:
    """How often the interval of a mean holds that of a lognormal distribution, in per cent."""
    truth = np.exp(sigma**2 / 2.0)
    held = [
        low <= truth <= high
        for _, low, high in (mean_interval(rng.lognormal(0.0, sigma, pairs)) for _ in range(samples))
    ]
    return f"{100.0 * np.mean(held):.1f}"


def _blocks(
    agents: int,
    seats: int,
    shared: float,
    ahead: float,
    gap: float,
    least: int,
    rng: np.random.Generator,
    times: int = 200,
) -> str:
    """The cell of tournaments in whose games one of the seats wins all."""
    schedule = list(blocks(agents, seats, least))
    lineups = np.array([list(block.seatings()) for block in schedule])
    theta = -gap * (np.arange(agents) - (agents - 1) / 2.0)
    strengths = theta[lineups] + np.linspace(ahead, 0.0, seats)
    chances = np.exp(strengths) / np.exp(strengths).sum(axis=-1, keepdims=True)
    truth = [float(chances[lineups == agent].mean()) for agent in range(agents)]
    means, shares, elo = [], [], []
    for _ in range(times):
        dice, own = rng.gumbel(size=(len(lineups), 1, seats)), rng.gumbel(size=lineups.shape)
        common = rng.random((*lineups.shape[:2], 1)) < shared
        luck = np.where(common, dice, own) + strengths
        won = luck == luck.max(axis=-1, keepdims=True)
        returns = np.where(won, seats - 1.0, -1.0)
        found = Blocks(agents, lineups, returns, won * 1.0, returns, np.full_like(returns, np.nan))
        rated = rate_blocks(found)
        true = (theta - theta[list(rated.zero)].mean()) * ELO
        elo.append((rated.low <= true) & (true <= rated.high))
        for agent in range(agents):
            _, low, high = mean_interval(list(found.mean_returns[agent].values()))
            means += [] if np.isnan(low) else [low <= seats * truth[agent] - 1.0 <= high]
            _, low, high = found.win_share_interval(agent)
            shares.append(low <= truth[agent] <= high)
    return " / ".join(f"{100.0 * np.mean(each):.1f}" for each in (means, shares, elo))


def _always(score: float, pairs: int, rng: np.random.Generator, matches: int = 200) -> str:
    """In how many matches no look refutes the true mean score of a pair, in per cent."""
    points = rng.binomial(2, score, (matches, pairs))  # won games of a pair
    held = 0
    for match in points:
        seen = np.cumsum(match[:, None] == np.arange(3), axis=0)
        five = np.zeros((pairs, 5))
        five[:, ::2] = seen
        held += all(_p_of(counts, score) > 0.05 for counts in five)
    return f"{100.0 * held / matches:.1f}"


def _p_of(five: Floats, score: float) -> float:
    """The always-valid p of "the mean score of a pair is `score`"."""
    return float(np.exp(-log_capital(five.tolist(), score)))


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
    if sys.argv[1:] == ["blocks"]:
        _print_blocks(np.random.default_rng(1))
    else:
        main()
