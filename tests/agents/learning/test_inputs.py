"""If many inputs are not zero, first weights and steps are smaller, so that no units die."""

import numpy as np
import pytest

from starspiel import TrainingSettings, load_game, train
from starspiel.agents.encoders import encoder_of
from starspiel.agents.learning import trainable, trainer
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


def test_the_trainer_goes_by_them(tmp_path, monkeypatch):
    begun, rates = [], []

    class Recorder:
        """A trainer of which is recorded what it is told."""

        def __init__(self, *arguments):
            self.trainer = native_trainer(*arguments)
            self.drawn = self.trainer.layers

        layers = property(lambda self: self.trainer.layers)

        @layers.setter
        def layers(self, layers):
            begun.append((self.drawn, layers))
            self.trainer.layers = layers

        def train(self, *, rate, **how):
            rates.append(rate)
            return self.trainer.train(rate=rate, **how)

    native_trainer = trainable.native_trainer
    monkeypatch.setattr(trainable, "native_trainer", Recorder)
    monkeypatch.setattr(
        trainer.NetworkRun, "match", lambda self, stop: setattr(self, "matches", self.clock.matches)
    )
    for game, squared in (("breakthrough", squared_length(load_game("breakthrough"), BOARD)), ("pig", 0.0)):
        begun.clear(), rates.clear()
        train(game, TrainingSettings(games=20, threads=1), output=tmp_path / f"{game}.npz")
        drawn, layers = begun[0]
        assert rates[0] == pytest.approx(0.05 * rate_factor(squared))
        assert np.array_equal(layers[0][0], drawn[0][0] * np.float32(weight_factor(squared)))
        assert np.array_equal(layers[1][0], drawn[1][0])
