"""If many inputs are not zero, first weights and steps are smaller, so that no units die."""

import pytest

from starspiel import load_game
from starspiel.agents.encoders import encoder_of
from starspiel.agents.learning.inputs import rate_factor, squared_length, weight_factor

BOARD = encoder_of(load_game("breakthrough"))


def test_squared_lengths():
    # Each square is black, white or empty: one input of three. Half the time one says whose turn it is.
    game = load_game("breakthrough")
    assert squared_length(game, encoder_of(game)) == pytest.approx(64.5, abs=0.1)
    # Two sides of six stones, each on a square or off the board.
    game = load_game("einstein_wurfelt_nicht")
    assert squared_length(game, encoder_of(game)) == 12.0
    assert squared_length(game, encoder_of(game)) == 12.0


def test_factors():
    assert (weight_factor(0.0), weight_factor(32.0)) == (1.0, 1.0)
    assert weight_factor(128.0) == 0.5
    assert (rate_factor(0.0), rate_factor(17.0)) == (1.0, 1.0)
    assert rate_factor(71.0) == 0.25
