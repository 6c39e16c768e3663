"""When somebody is luckier than chance allows."""

import numpy as np
import pytest

from starspiel.evaluation.statistics.lucks import agent_lucks


def luck_of(values):
    """The luck of an agent whose pairs had these."""
    lucks = agent_lucks(2, {(0, 1): {n: (float(value), 0.0) for n, value in enumerate(values)}})
    return next(line for line in lucks if line.agent == 0)


def test_few_pairs_that_were_all_lucky_are_no_more_than_that():
    """The chance that all of ten are is 1 in 1,024, however alike they are."""
    noise = np.random.default_rng(1).normal(size=30) / 100.0
    assert luck_of(1.0 + noise[:10]).z == pytest.approx(3.10, abs=0.01)
    assert not luck_of(1.0 + noise[:20]).exceeds_chance
    assert luck_of(1.0 + noise).exceeds_chance


def test_honest_agents_with_rare_bad_luck_are_not_accused_after_few_pairs():
    rng = np.random.default_rng(2)
    drawn = rng.choice([-9.0, 1.0], p=[0.1, 0.9], size=(300, 10)) + 0.1 * rng.normal(size=(300, 10))
    assert not any(luck_of(values).exceeds_chance for values in drawn)
