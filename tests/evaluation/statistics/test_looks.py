"""What may be said of several agents while they play."""

from types import SimpleNamespace

import numpy as np
import pytest

from starspiel.evaluation.statistics.always_valid import OPENING, always_valid_mean_p, always_valid_p
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.looks import in_words, means_p, meetings_p

WON = [(1, 0, 1.0, 1.0)] * 18 + [(1, 0, 1.0, 0.0)] * 4


def tally(results=None, solo=()):
    """What `in_words` asks of a tally."""
    two = results is not None
    pairs = results.pairs.sum() if two else sum(map(len, solo))
    return SimpleNamespace(two_player=two, results=results, mean_returns=solo, pairs=pairs)


def test_agents_that_have_not_met_count_with_a_p_of_one():
    results = PairCounts.of(4, WON)
    own = always_valid_p(results.five(0, 1))
    assert meetings_p(results)[0, 1] == pytest.approx(6 * own)
    assert meetings_p(results, gauntlet=True)[0, 1] == pytest.approx(3 * own)
    assert meetings_p(results)[2, 3] == 1.0
    assert np.isnan(meetings_p(results, gauntlet=True)[2, 3])


def test_means_are_compared_over_the_pairs_that_both_have():
    rng = np.random.default_rng(1)
    one, two = (dict(enumerate(rng.normal(m, 1.0, 90))) for m in (0.0, 0.8))
    del two[5]
    p, corrected = means_p([one, two, dict(one)])
    gaps = [one[n] - two[n] for n in two]
    assert p[0, 1] == pytest.approx(always_valid_mean_p(gaps))
    assert p[0, 2] == 1.0
    assert corrected[0, 1] == pytest.approx(3 * p[0, 1])


def test_it_names_who_is_better():
    names = ("a", "b", "c", "d")
    assert in_words(tally(PairCounts.of(4, [])), names) == ""
    said = in_words(tally(PairCounts.of(4, WON)), names)
    assert said.startswith(f"{OPENING}, for all 6 comparisons: b over a (p ")
    assert "for all 3 comparisons" in in_words(tally(PairCounts.of(4, WON)), names, gauntlet=True)
    assert in_words(tally(PairCounts.of(4, WON[:2])), names).endswith("no difference is significant yet.")
    assert "score of a" in in_words(tally(PairCounts.of(2, WON)), names[:2])
    values = np.random.default_rng(1).normal(0.8, 1.0, 90)
    solo = [dict.fromkeys(range(90), 0.0), dict(enumerate(values))]
    assert in_words(tally(solo=solo), names[:2]).startswith(f"{OPENING}: b over a (p ")
    short = [dict.fromkeys(range(9), 0.0), dict(enumerate(values[:9]))]
    assert in_words(tally(solo=short), names[:2]) == f"{OPENING}: no difference is significant yet."


def test_who_is_better_is_judged_by_what_both_have_played():
    """As on a ladder, where the better of two agents may have met stronger opponents otherwise."""
    values = np.random.default_rng(1).normal(0.8, 1.0, 90)
    better = dict(enumerate(values)) | dict.fromkeys(range(100, 300), -3.0)
    assert np.mean(list(better.values())) < 0.0
    said = in_words(tally(solo=[dict.fromkeys(range(90), 0.0), better]), ("a", "b"))
    assert said.startswith(f"{OPENING}: b over a (p ")
