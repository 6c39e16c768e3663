"""A network that grows values everything as before, and learns on with what is new."""

from itertools import pairwise

import numpy as np
import pytest

from starspiel import StarspielError
from starspiel.agents.learning.widening import widened


def layers_of(sizes, seed):
    draw = np.random.default_rng(seed)
    return [
        (draw.normal(size=shape).astype(np.float32), draw.normal(size=shape[1]).astype(np.float32))
        for shape in pairwise(sizes)
    ]


def outputs(layers, values):
    for weights, bias in layers[:-1]:
        values = values @ weights.astype(float) + bias
        values = np.where(values > 0, values, 0.01 * values)
    return values @ layers[-1][0] + layers[-1][1]


@pytest.mark.parametrize("wider", [(5, 7, 4, 1), (5, 6, 4, 1), (5, 6, 9, 1), (5, 20, 10, 1)])
def test_it_computes_the_same(wider):
    layers, fresh = layers_of((5, 6, 4, 1), 1), layers_of(wider, 2)
    inputs = np.random.default_rng(3).normal(size=(50, 5))
    larger = widened(layers, fresh)
    assert [weights.shape for weights, _ in larger] == [weights.shape for weights, _ in fresh]
    np.testing.assert_allclose(outputs(larger, inputs), outputs(layers, inputs), rtol=1e-12)


def test_old_outputs_find_their_places_among_the_new():
    layers, fresh = layers_of((5, 6, 4, 1), 1), layers_of((5, 8, 4, 3), 2)
    inputs = np.random.default_rng(3).normal(size=(50, 5))
    larger = widened(layers, fresh, [1])
    np.testing.assert_allclose(outputs(larger, inputs)[:, 1:2], outputs(layers, inputs), rtol=1e-12)
    assert np.array_equal(larger[-1][0][:, ::2], fresh[-1][0][:, ::2])


def test_new_units_see_what_a_new_network_sees():
    """If they saw nothing, or all the same, they would learn nothing, or all the same."""
    layers, fresh = layers_of((5, 6, 4, 1), 1), layers_of((5, 8, 7, 1), 2)
    (first, _), (second, _), (last, _) = widened(layers, fresh)
    assert np.array_equal(first[:, 6:], fresh[0][0][:, 6:])
    assert np.array_equal(second[:, 4:], fresh[1][0][:, 4:])
    assert not second[6:, :4].any()
    assert not last[4:].any()


@pytest.mark.parametrize("other", [(5, 3, 4, 1), (5, 6, 1), (5, 6, 4, 4, 1)])
def test_what_cannot_grow_is_refused(other):
    with pytest.raises(StarspielError, match=r"hidden layers of 6,4: expected as many"):
        widened(layers_of((5, 6, 4, 1), 1), layers_of(other, 2))
