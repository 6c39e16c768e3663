"""Training of games written in Python: it learns, repeats, and its networks play."""

import os
import random
import signal

import numpy as np
import pytest
from support.piglets import Piglet

import starspiel
from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.network import network_from_file
from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.learning.python_trainer import PythonTrainer
from starspiel.envs.games.pig import PigPosition
from starspiel.envs.rules import Rules, RulesState


@pytest.fixture(autouse=True)
def short_matches(monkeypatch):
    """One pair of two after so few games: what is shown is not how strong a network is."""
    monkeypatch.setattr("starspiel.agents.learning.trainer._LEAST_PAIRS", 1)


HOW = {"rate": 0.1, "lambda_": 0.5, "explore": 0.1}


def trainer_of(game, hidden=(16,), seed=1):
    return PythonTrainer(encoder_of(game), game.new_initial_state(), hidden, game.utility_range, seed)


def points(game, trainer, games):
    """Points a game of the trainer's moves against random ones."""
    won = 0
    for number in range(games):
        draw, own, state = random.Random(number), number % 2, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(draw.choices(outcomes, chances)[0])
            elif state.current_player() == own:
                state = state.child(trainer.best(state))
            else:
                state = state.child(draw.choice(state.legal_actions()))
        won += state.returns()[own] > 0
    return won / games


def same(one, other):
    return all(
        np.array_equal(a, b) for pair in zip(one, other, strict=True) for a, b in zip(*pair, strict=True)
    )


@pytest.mark.parametrize("exact", [False, True])
def test_one_seed_repeats(exact):
    game = Piglet()

    def trained(seed):
        trainer = trainer_of(game)
        return trainer.train(seed=seed, games=5, exact=exact, **HOW), trainer.layers

    (done, layers), (again, repeated), (_, other) = trained(7), trained(7), trained(8)
    assert done == again
    assert done[0] == 5
    assert done[1] > 10
    assert same(layers, repeated)
    assert not same(layers, other)


#: The chance to win of who is to move, by own score, other score and turn total, in Piglet to 2 points.
PIGLET = {
    (0, 0, 0): 4 / 7,
    (0, 0, 1): 5 / 7,
    (0, 1, 0): 2 / 5,
    (0, 1, 1): 3 / 5,
    (1, 0, 0): 4 / 5,
    (1, 1, 0): 2 / 3,
}


def test_it_learns_the_exact_values():
    game = Piglet(2)
    trainer = trainer_of(game)
    before = points(game, trainer, 100)
    trainer.train(seed=1, games=150, **HOW)
    trainer.train(seed=2, games=400, **HOW | {"explore": 0.3}, exact=True)
    states = [RulesState(game, PigPosition((own, other), turn, 0, 0)) for own, other, turn in PIGLET]
    wins = [(value + 1) / 2 for value in trainer._values(states)]
    assert wins == pytest.approx(list(PIGLET.values()), abs=0.05)
    assert points(game, trainer, 100) >= max(before, 0.6)


def test_a_training_that_is_stopped_ends_in_the_midst_of_its_games():
    trainer = trainer_of(Piglet(100))
    for moment in (1, 20):
        asked = []
        done = trainer.train(seed=1, games=5, stop=lambda: asked.append(1) or len(asked) >= moment, **HOW)  # noqa: B023
        assert done[:2] == (0, 0)
        assert len(asked) <= moment + 1


def test_games_that_ctrl_c_ended_in_their_midst_are_played_again(tmp_path):
    class Ended(Piglet):
        asked = 0

        def features(self, position):
            self.asked += 1
            if self.asked == 7_000:  # in the second chunk of games
                os.kill(os.getpid(), signal.SIGINT)
            return super().features(position)

    given = {"games": 60, "hidden": (4,), "threads": 1}
    ended = starspiel.train(Ended(), given, output=tmp_path / "ended.npz")
    assert (ended.interrupted, ended.games) == (True, 20)
    gone_on = starspiel.train(Piglet(), given, output=tmp_path / "ended.npz", resume=True)
    whole = starspiel.train(Piglet(), given, output=tmp_path / "whole.npz")
    assert read_network(gone_on.checkpoint).checksum == read_network(whole.checkpoint).checksum


def test_train_writes_a_network_that_plays(tmp_path):
    game = Piglet(3)
    result = starspiel.train(game, {"games": 6, "hidden": (8,), "seed": 3}, output=tmp_path / "piglets.npz")
    value = network_from_file(game, str(result.file))
    found = starspiel.search(game.new_initial_state(), "star2", starspiel.Limits(depth=2), value)
    assert found.engine == "python"
    assert -1 <= found.value <= 1
    again = starspiel.train(game, {"games": 6, "hidden": (8,), "seed": 3}, output=tmp_path / "again.npz")
    assert network_from_file(game, str(again.file)).network.checksum == value.network.checksum


def test_games_of_openspiel_that_are_written_in_python_are_trained(tmp_path):
    from open_spiel.python.games import tic_tac_toe  # noqa: F401

    result = starspiel.train(
        "python_tic_tac_toe", {"games": 10, "hidden": (8,), "seed": 3}, output=tmp_path / "ttt.npz"
    )
    assert result.games == 10
    starspiel.make_evaluator(f"net(file={result.file})", "python_tic_tac_toe")


def test_rules_without_features_are_refused():
    class Silent(Piglet):
        features = Rules.features

    with pytest.raises(starspiel.UnsupportedGameError, match=r"no rules with features\(position\)"):
        starspiel.train(Silent(), {"games": 1})


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (lambda self, position: None, "is None at every position"),
        (lambda self, position: np.zeros((2, 3)), r"an array of shape \(2, 3\)"),
        (lambda self, position: [np.nan, 1.0], "an entry nan"),
        (lambda self, position: [129.0], "an entry 129"),
        (lambda self, position: "heads", "gives str"),
        (lambda self, position: np.zeros(3 if sum(position.scores) else 4), r"of 4 entries"),
    ],
)
def test_features_that_are_none_are_refused_in_words(features, words):
    game = type("Own", (Piglet,), {"features": features})(3)
    with pytest.raises(starspiel.SpecError, match=words):
        trainer_of(game).train(seed=1, games=20, **HOW)
