"""Scores: how sure they are, and when one network is worse than another."""

import pytest

from starspiel.agents.learning.score import BEST, Score, is_worse, standard_error


def score(opponent, share, error):
    return Score(opponent, 1, share, 100, error)


def test_a_pair_says_little_and_many_say_much():
    assert standard_error([0.5]) > 0.25
    assert standard_error([1.0] * 10) > 0.05
    # Of so many pairs as coins are thrown: half a point over the root of their number.
    assert standard_error([0.0, 1.0] * 500) == pytest.approx(0.5 / 1000**0.5, rel=0.01)


def test_words():
    assert str(score("star2(depth=1,evaluator=heuristic)", 0.613, 0.02)) == "heuristic 61 % (57–65)"
    assert str(score("random", 1.0, 0.05)) == "random 100 % (90–100)"


@pytest.mark.parametrize(
    ("scores", "best", "worse"),
    [
        ([], [], False),
        ([score("random", 0.1, 0.05)], [], False),
        ([score(BEST, 0.45, 0.1)], [], False),
        ([score(BEST, 0.35, 0.1)], [], False),
        ([score(BEST, 0.25, 0.1)], [], True),
        # What is surer weighs more: the match against the best, or the gain against a reference.
        ([score(BEST, 0.55, 0.02), score("random", 0.5, 0.3)], [score("random", 0.9, 0.3)], False),
        ([score(BEST, 0.55, 0.30), score("random", 0.5, 0.02)], [score("random", 0.9, 0.02)], True),
        # Another opponent of the same name at another depth says nothing.
        ([score("random", 0.5, 0.02)], [Score("random", 2, 0.9, 100, 0.02)], False),
    ],
)
def test_worse_beyond_its_error(scores, best, worse):
    assert is_worse(scores, best) is worse
