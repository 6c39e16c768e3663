"""Finds the differences that are significant at any number of looks (always-valid verdicts)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np

from starspiel.evaluation.statistics import always_valid
from starspiel.evaluation.statistics.comparisons import holm
from starspiel.evaluation.statistics.intervals import Array, PairCounts
from starspiel.evaluation.statistics.tally import Tally

#: The maximum number of differences that a sentence names.
_NAMED = 5


def meetings_p(results: PairCounts, gauntlet: bool = False) -> Array:
    """Returns (n, n): always-valid p of any two agents, Holm-corrected for all meetings that there may be.

    Those are the first agent's meetings in a gauntlet, and otherwise those of any two agents. Agents that
    have not met yet count with p = 1, so planning a meeting late does not make the others more significant.
    """
    p = np.full((results.agents, results.agents), np.nan)
    of = cache(always_valid.always_valid_p)
    for i, j in _family(results.agents, gauntlet):
        p[i, j] = of(results.five(i, j))
    return holm(p)


def means_p(returns: Sequence[Mapping[int, float]]) -> tuple[Array, Array]:
    """Returns (n, n) twice: always-valid p of any two agents' mean difference of returns, raw and by Holm."""
    p = np.full((len(returns), len(returns)), np.nan)
    for i, j, gaps in _gaps(returns):
        p[i, j] = p[j, i] = always_valid.always_valid_mean_p(gaps)
    return p, holm(p)


def in_words(tally: Tally, names: Sequence[str], gauntlet: bool = False) -> str:
    """Returns a sentence that names the significant differences; "" if there is nothing to compare yet."""
    if len(names) < 2 or not tally.pairs:
        return ""
    if not tally.two_player:
        returns = tally.mean_returns
        ahead = np.zeros((len(names), len(names)))
        for i, j, gaps in _gaps(returns):
            ahead[i, j] = gaps.sum()
        return _sure(means_p(returns)[1], ahead, names, False)
    results = tally.results
    if len(names) == 2:
        return always_valid.in_words(results.five(0, 1), names[0])
    return _sure(meetings_p(results, gauntlet), results.matrix - 0.5, names, gauntlet)


def _sure(p: Array, ahead: Array, names: Sequence[str], gauntlet: bool) -> str:
    family = _family(len(names), gauntlet)
    least = sorted((float(p[i, j]), *((i, j) if ahead[i, j] > 0.0 else (j, i))) for i, j in family)
    shown = [f"{names[i]} over {names[j]} (p {value:.3g})" for value, i, j in least]
    sure = sum(value < 0.05 for value, *_ in least)
    corrected = f", for all {len(family):,} comparisons" if len(family) > 1 else ""
    if sure:
        more = f" and {sure - _NAMED:,} more" if sure > _NAMED else ""
        found = f"{', '.join(shown[: min(sure, _NAMED)])}{more}"
    else:
        nearest = f"; nearest is {shown[0]}" if least[0][0] < 1.0 else ""
        found = f"no difference is significant yet{nearest}"
    return f"{always_valid.OPENING}{corrected}: {found}."


def _gaps(returns: Sequence[Mapping[int, float]]) -> Iterator[tuple[int, int, Array]]:
    """Yields any two agents, and the differences of their returns in the pairs that both have played."""
    numbers = [np.fromiter(own.keys(), dtype=np.int64, count=len(own)) for own in returns]
    values = [np.fromiter(own.values(), dtype=np.float64, count=len(own)) for own in returns]
    for i, j in _family(len(returns), False):
        _, of_i, of_j = np.intersect1d(numbers[i], numbers[j], assume_unique=True, return_indices=True)
        yield i, j, values[i][of_i] - values[j][of_j]


def _family(agents: int, gauntlet: bool) -> list[tuple[int, int]]:
    return [(0, j) for j in range(1, agents)] if gauntlet else list(combinations(range(agents), 2))
