"""Ratings of games that rank their players, against choix and against strengths that are known."""

import choix
import numpy as np
import pytest

from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.bradley_terry import ELO
from starspiel.evaluation.statistics.plackett_luce import Choices, rate_blocks


def blocks_of(agents, places, field):
    places = np.asarray(places, dtype=float)
    return Blocks(field, np.asarray(agents), places, np.zeros_like(places), places, np.zeros_like(places))


def drawn(strengths, seats, blocks, rng):
    """Blocks whose rankings are drawn from the model: the order of strengths plus Gumbel noise."""
    lineups = np.array([rng.permutation(len(strengths))[:seats] for _ in range(blocks)])
    agents = np.stack([np.roll(lineups, -turn, axis=1) for turn in range(seats)], axis=1)
    ranked = (strengths[agents] + rng.gumbel(size=agents.shape)).argsort(axis=-1).argsort(axis=-1)
    return blocks_of(agents, ranked, len(strengths))


@pytest.mark.parametrize(("field", "seats"), [(3, 3), (6, 3), (6, 4), (8, 6)])
def test_whole_rankings_are_rated_as_by_choix(field, seats):
    rng = np.random.default_rng(field * seats)
    blocks = drawn(rng.normal(size=field), seats, 60, rng)
    order = np.argsort(-blocks.places, axis=-1)
    rankings = np.take_along_axis(blocks.agents, order, axis=-1).reshape(-1, seats).tolist()
    ours, _ = Choices.of(blocks).fit(prior=0.0)
    assert ours == pytest.approx(choix.ilsr_rankings(field, rankings, tol=1e-12), abs=1e-6)


def test_games_with_one_winner_are_rated_as_by_choix():
    rng = np.random.default_rng(5)
    blocks = drawn(rng.normal(size=5), 4, 80, rng)
    won = blocks_of(blocks.agents, np.where(blocks.places == 3, 3.0, -1.0), 5)
    rows = zip(won.agents.reshape(-1, 4).tolist(), won.places.reshape(-1, 4).argmax(axis=1), strict=True)
    data = [(row[first], [other for other in row if other != row[first]]) for row, first in rows]
    ours, _ = Choices.of(won).fit(prior=0.0)
    assert ours == pytest.approx(choix.ilsr_top1(5, data, tol=1e-12), abs=1e-6)


def test_who_is_level_shares_the_place():
    """Two levels at the top are the same as half of each order, as to who is chosen first."""
    level = Choices.of(blocks_of([[[0, 1, 2]]], [[[1, 1, 0]]], 3))
    assert level.chosen.tolist() == [[0.5, 0.5, 0.0]]
    assert level.among.tolist() == [[1, 1, 1]]
    assert Choices.of(blocks_of([[[0, 1, 2]]], [[[2, 2, 2]]], 3)).block.size == 0
    assert Choices.of(blocks_of([[[0, 1, 2]]], [[[2, 1, 1]]], 3)).chosen.tolist() == [[1.0, 0.0, 0.0]]


def test_strengths_that_are_known_lie_in_the_intervals():
    rng = np.random.default_rng(2)
    strengths = np.array([1.0, 0.3, 0.0, -0.3, -1.0])
    held = []
    for _ in range(150):
        found = rate_blocks(drawn(strengths, 3, 40, rng))
        held += ((found.low <= strengths * ELO) & (strengths * ELO <= found.high)).tolist()
    assert 0.92 <= np.mean(held) <= 0.98


def test_whoever_always_won_could_be_better_by_any_amount():
    agents = [[[0, 1, 2], [1, 2, 0], [2, 0, 1]]] * 4
    places = [[[2, 1, 0], [0, 1, 2], [0, 2, 1]], [[2, 0, 1], [1, 0, 2], [0, 2, 1]]] * 2
    found = rate_blocks(blocks_of(agents, places, 4))
    assert found.high[0] == np.inf
    assert np.isfinite([found.low[0], *found.low[1:3], *found.high[1:3]]).all()
    assert np.isnan(found.elo[3])
    assert found.zero == (1, 2)
    assert found.elo[1:3].mean() == pytest.approx(0.0, abs=1e-9)
    anchored = rate_blocks(blocks_of(agents, places, 4), anchor=1)
    assert (anchored.elo[1], anchored.low[1], anchored.high[1]) == (0.0, 0.0, 0.0)
    by_the_best = rate_blocks(blocks_of(agents, places, 4), anchor=0)
    assert by_the_best.low[:3].tolist() == [0.0, -np.inf, -np.inf]
    assert np.isfinite(by_the_best.high[:3]).all()


def test_strengths_lie_in_the_intervals_beside_an_agent_that_loses_everything():
    rng = np.random.default_rng(3)
    strengths = np.array([-9.0, 0.5, 0.0, -0.5])
    held = []
    for anchor in (None, 0):
        for _ in range(60):
            found = rate_blocks(drawn(strengths, 3, 40, rng), anchor)
            truth = (strengths - strengths[list(found.zero)].mean()) * ELO
            held += ((found.low <= truth) & (truth <= found.high)).tolist()
    assert np.mean(held) >= 0.94


@pytest.mark.parametrize("blocks", [1, 3])
def test_a_newcomer_with_few_blocks_lies_in_its_interval(blocks):
    rng = np.random.default_rng(blocks)
    strengths, held = np.array([0.5, 0.2, 0.0, -0.4, 0.1]), []
    for _ in range(60):
        old = drawn(strengths[:4], 3, 40, rng)
        agents = np.array([np.concatenate(([4], rng.permutation(4)[:2])) for _ in range(blocks)])
        agents = np.stack([np.roll(agents, -turn, axis=1) for turn in range(3)], axis=1)
        ranked = (strengths[agents] + rng.gumbel(size=agents.shape)).argsort(axis=-1).argsort(axis=-1)
        both = (np.concatenate(each) for each in ((old.agents, agents), (old.places, ranked)))
        found = rate_blocks(blocks_of(*both, 5), anchor=0)
        held.append(found.low[4] <= (strengths[4] - strengths[0]) * ELO <= found.high[4])
    assert np.mean(held) >= 0.9
