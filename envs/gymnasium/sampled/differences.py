"""Tests whether samples come from the same distribution, exactly, on fresh samples.

A hypothesis is formed from what stands out in the samples at hand: a part of the observations, one of the
samples, and the outcomes that it shows more often. Fresh, independent samples then confirm or refute it, so
that the probability of an error is exact for any distribution.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

#: What is seen of a situation, by its parts.
Seen = dict[str, Hashable]
#: Whether an outcome is one of those that a sample shows more often.
_IsOne = Callable[[Any], bool]

#: The maximum probability of finding a difference if there is none, over all tests.
ERROR_RATE = 1e-4
#: The maximum number of tests; each has an error probability of `ERROR_RATE` divided by this.
TESTS = 1000
#: Fresh samples on each side of a test, and how unlikely their difference must be to go on to the next size.
#: The first, small size only saves time if a few samples refute the hypothesis.
_SIZES = ((8, 0.5), (32, 1e-2), (64, 1e-2), (128, 0.0))
#: How far a first sample must stand out, in standard deviations, for a test to be made.
_SUSPECT = 2.0


def differing_part(
    samples: Sequence[Sequence[Seen]],
    more: Callable[[int, int], Sequence[Seen]],
    tests: Iterator[int],
) -> str | None:
    """Returns a part whose distribution is shown to differ between the samples; None if none is.

    Args:
        samples: what was seen so far.
        more: returns fresh outcomes for the number of a sample and a size; it may return fewer than the size.
        tests: has an item for each test that may still be made.
    """
    best: tuple[int, str, _IsOne] | None = None
    worst = _SUSPECT
    for part in telling_parts(samples):
        for number, member in enumerate(samples):
            rest = [seen for other, many in enumerate(samples) if other != number for seen in many]
            is_one = _more_often(part, member, rest)
            hits, other_hits = (_count(sample, part, is_one) for sample in (member, rest))
            if (apart := _distance(hits, len(member), other_hits, len(rest))) > worst:
                best, worst = (number, part, is_one), apart
    if best is None:
        return None
    number, part, is_one = best
    others = [other for other in range(len(samples)) if other != number]
    for size, nearly in _SIZES:
        if next(tests, None) is None:
            return None
        shares = [(other, len(range(place, size, len(others)))) for place, other in enumerate(others)]
        these, those = more(number, size), [seen for other, share in shares for seen in more(other, share)]
        if min(len(these), len(those)) < size:
            return None
        chance = fisher(_count(these, part, is_one), _count(those, part, is_one), size)
        if chance <= ERROR_RATE / TESTS:
            return part
        if chance > nearly:
            return None
    return None


def fisher(hits: int, other_hits: int, size: int) -> float:
    """Returns the p-value of Fisher's exact test, one-sided, for two samples of the same size.

    R. A. Fisher, The Design of Experiments (1935), chapter 2.
    """
    both = hits + other_hits
    ways = sum(math.comb(size, n) * math.comb(size, both - n) for n in range(hits, min(size, both) + 1))
    return ways / math.comb(2 * size, both)


def telling_parts(samples: Sequence[Sequence[Seen]]) -> Iterator[str]:
    """Yields the parts that can show a difference: numbers, and parts that are equal in some outcomes."""
    for part in samples[0][0] if samples else ():
        outcomes = [seen.get(part) for member in samples for seen in member]
        if len(set(outcomes)) > 1 and (len(set(outcomes)) < len(outcomes) or _are_numbers(outcomes)):
            yield part


def _more_often(part: str, these: Sequence[Seen], others: Sequence[Seen]) -> _IsOne:
    """Returns a test for outcomes that are a greater share of `these` than of `others`.

    If no two outcomes are equal, it is a half-line.
    """
    ours, theirs = (Counter(seen.get(part) for seen in sample) for sample in (these, others))
    numbers: list[Any] = [*ours, *theirs]
    if len(set(numbers)) == ours.total() + theirs.total() and _are_numbers(numbers):
        median = sorted(numbers)[(len(numbers) - 1) // 2]
        ours_above, theirs_above = (sum(n > median for n in list(half)) for half in (ours, theirs))
        is_above = ours_above * len(theirs) > theirs_above * len(ours)
        return lambda number: isinstance(number, int | float) and (number > median) == is_above
    frequent = {outcome for outcome, n in ours.items() if n * len(others) > theirs[outcome] * len(these)}
    return frequent.__contains__


def _count(sample: Sequence[Seen], part: str, is_one: _IsOne) -> int:
    return sum(is_one(seen.get(part)) for seen in sample)


def _distance(hits: int, size: int, other_hits: int, other_size: int) -> float:
    """Returns by how many standard deviations two shares differ."""
    pooled = (hits + other_hits) / (size + other_size)
    deviation = math.sqrt(pooled * (1 - pooled) * (1 / size + 1 / other_size))
    return (hits / size - other_hits / other_size) / deviation if deviation else 0.0


def _are_numbers(outcomes: Sequence[Any]) -> bool:
    return all(isinstance(outcome, int | float) for outcome in outcomes)
