"""Training of games written in Python: it learns, repeats, and its networks play; what trainers teach."""

import os
import signal

import numpy as np
import pytest
from support.piglets import Piglet

import starspiel
from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.network import network_from_file
from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.evaluators.positions import rows_of
from starspiel.agents.learning.python_trainer import PythonTrainer
from starspiel.agents.learning.trainable import trainable
from starspiel.envs.games.pig import PigPosition
from starspiel.envs.rules import RulesState


@pytest.fixture(autouse=True)
def no_matches(monkeypatch):
    """What is shown is not how strong a network is."""
    monkeypatch.setattr("starspiel.agents.learning.trainer.score_matches", lambda *given: ())


HOW = {"rate": 0.01, "lambda_": 0.5, "explore": 0.1}


def trainer_of(game, hidden=(16,), seed=1):
    return PythonTrainer(encoder_of(game), game.new_initial_state(), hidden, game.utility_range, seed)


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
    for seed in range(20):
        trainer.train(seed=seed, games=100, **HOW | {"explore": 0.3}, exact=seed >= 10)
    states = [RulesState(game, PigPosition((own, other), turn, 0, 0)) for own, other, turn in PIGLET]
    wins = [(value + 1) / 2 for value in trainer._values(states)]
    assert wins == pytest.approx(list(PIGLET.values()), abs=0.05)


def test_a_training_that_is_stopped_ends_in_the_midst_of_its_games():
    trainer = trainer_of(Piglet(100))
    for moment in (1, 20):
        asked = []
        done = trainer.train(seed=1, games=5, stop=lambda: asked.append(1) or len(asked) >= moment, **HOW)  # noqa: B023
        assert done[:2] == (0, 0)
        assert len(asked) <= moment + 1


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


def test_games_that_ctrl_c_ended_in_their_midst_are_played_again(tmp_path):
    class Asked(Piglet):
        """Presses Ctrl-C when it is asked for features the n-th time."""

        asked, n = 0, 0

        def features(self, position):
            self.asked += 1
            if self.asked == self.n:
                os.kill(os.getpid(), signal.SIGINT)
            return super().features(position)

    given = {"games": 60, "hidden": (4,), "threads": 1}
    game = Asked()
    whole = starspiel.train(game, given, output=tmp_path / "whole.npz")
    game.asked, game.n = 0, game.asked // 2
    ended = starspiel.train(game, given, output=tmp_path / "ended.npz")
    assert ended.interrupted
    assert 0 < ended.games < 60
    gone_on = starspiel.train(Piglet(), given, output=tmp_path / "ended.npz", resume=True)
    assert read_network(gone_on.checkpoint).checksum == read_network(whole.checkpoint).checksum


@pytest.mark.parametrize("game", [Piglet(3), "python_tic_tac_toe"])
def test_train_writes_a_network_that_plays(tmp_path, game):
    game = starspiel.load_game(game)
    given = {"games": 6, "hidden": (8,), "seed": 3}
    files = [starspiel.train(game, given, output=tmp_path / f"{name}.npz").file for name in "ab"]
    first, second = (network_from_file(game, str(file)) for file in files)
    assert first.network.checksum == second.network.checksum
    found = starspiel.search(game.new_initial_state(), "star2", starspiel.Limits(depth=2), first)
    assert found.engine == "python"
    assert -1 <= found.value <= 1


@pytest.mark.parametrize("name", ["connect_four", "python_tic_tac_toe"])
def test_exact_targets_are_also_learnt_after_moves_that_were_not_made(name):
    """One other move at each decision; the game itself stays as the network plays it."""
    game = starspiel.load_game(name)
    make, encoder, returns = trainable(game)
    trainer = make(game.new_initial_state(), [6], returns, 1)
    learnt = learnt_rows(encoder, *trainer.play(seed=5, games=1, lambda_=0.5, exact=True))
    state, others = game.new_initial_state(), 0
    while not state.is_terminal():
        best = trainer.best(state)
        after = [state.child(action) for action in state.legal_actions() if action != best]
        going_on = [other for other in after if not other.is_terminal()]
        if learnt and any(np.array_equal(learnt[-1], row) for row in rows_of(encoder, going_on)):
            learnt.pop()
            others += 1
        else:
            assert len(going_on) < max(len(after), 1)
        state = state.child(best)
        if not state.is_terminal():
            assert np.array_equal(learnt.pop(), rows_of(encoder, [state])[0])
    assert not learnt
    assert others >= 3


@pytest.mark.parametrize(("core", "games"), [(True, 2000), (False, 100)])
def test_exact_targets_tell_what_the_game_brings_without_its_luck(core, games):
    """With lambda 1 their mean is the value, whatever the network says; with 0 it is the network's."""
    game = starspiel.load_game("royal_game_of_ur(pieces=1)")  # there is never a choice
    state = game.new_initial_state()
    for _ in range(12):  # player 0 alone moves on
        throws = state.is_chance_node()
        state = state.child(3 if throws and state.position.mover == 0 else state.legal_actions()[0])
    value = starspiel.solve(game)(game, state)
    make, encoder, returns = trainable(game)
    if not core:
        make, encoder, returns = PythonTrainer, encoder_of(game), game.utility_range
    trainer, first = (make(state, [6], returns, 1) if core else make(encoder, state, [6], returns, 1)), {}
    for lambda_ in (0.0, 1.0):
        *_, targets, ends = trainer.play(seed=5, games=games, lambda_=lambda_, exact=True)
        # Of player 1, who is to throw after the first move.
        first[lambda_] = 1 - 2 * np.asarray(targets)[np.asarray(ends) - 1]
    error = first[1.0].std() / games**0.5
    assert error < 0.05
    assert abs(first[1.0].mean() - value) < 4 * error
    assert abs(first[0.0].mean() - value) > 0.5


def two_trainers():
    """The core's and that in Python, with the same weights, and what one game has to teach, for each."""
    game = starspiel.load_game("royal_game_of_ur")
    make, encoder, returns = trainable(game)
    core = make(game.new_initial_state(), [6, 5], returns, 1)
    python = PythonTrainer(encoder, game.new_initial_state(), [6, 5], game.utility_range, 1)
    python.layers = core.layers
    lessons = core.play(seed=5, games=1, lambda_=0.8, exact=True)
    rows = np.array(learnt_rows(encoder, *lessons))
    return core, python, lessons, (rows, lessons[2].astype(np.float64), lessons[3].astype(np.int64))


@pytest.mark.parametrize(
    ("positions", "times", "steps"), [(4, 1, 4), (1, 1, 1), (1, 1000, 400), (1, 30000, 469)]
)
def test_both_trainers_fit_alike(positions, times, steps):
    """Batches of all of four positions, or of one position: their order does not count."""
    core, python, (features, ends, targets, _), (rows, own, _) = two_trainers()
    features, targets = np.tile(features[: ends[positions - 1]], times), np.tile(targets[:positions], times)
    rows, own = np.tile(rows[:positions], (times, 1)), np.tile(own[:positions], times)
    ends = np.concatenate([ends[:positions] + k * ends[positions - 1] for k in range(times)])
    begun = core.layers
    fitted = core.fit([(features, ends, targets, np.array([len(ends)], np.uint32))], rate=1e-4, seed=3)
    assert fitted == pytest.approx(
        python.fit([(rows, own, np.array([len(rows)]))], rate=1e-4, seed=4), rel=1e-3
    )
    assert fitted[:2] == (1, len(rows))
    for one, other, before in zip(core.layers, python.layers, begun, strict=True):
        for ours, theirs, was in zip(one, other, before, strict=True):
            assert np.abs(ours - theirs).max() < 1e-5
            assert 0.9 < np.abs(ours - was).max() / (1e-4 * steps) < 2


@pytest.mark.parametrize("core", [True, False])
def test_fitting_comes_close_to_the_targets_unless_it_is_stopped(core):
    ours, theirs, lessons, rows = two_trainers()
    trainer, lessons = (ours, lessons) if core else (theirs, rows)
    assert trainer.fit([lessons] * 2000, rate=1e-9, seed=1, stop=lambda: True)[0] == 0
    errors = [trainer.fit([lessons], rate=0.01, seed=seed)[2] for seed in range(60)]
    assert errors[-1] < 0.3 * errors[0]


@pytest.mark.parametrize("core", [True, False])
def test_a_round_that_is_stopped_teaches_nothing(core):
    """Even if it is stopped in its last game, and what was met would be learnt before anyone asks again."""
    game = starspiel.load_game("backgammon") if core else Piglet(100)
    make, _, returns = trainable(game)
    trainer = make(game.new_initial_state(), [1024, 256], returns, 1) if core else trainer_of(game)
    before, asked = trainer.layers, []
    how = HOW | {"exact": True, "stop": lambda: asked.append(1) or True}
    assert trainer.train(seed=1, games=1 if core else 1000, **how) == (0, 0, 0.0)
    assert same(trainer.layers, before)
    assert len(asked) < 10


def learnt_rows(encoder, positions, ends, *rest):
    """The inputs of each position to learn, the last of the game first."""
    if positions.ndim == 2:  # in Python
        return list(positions)
    rows = np.zeros((len(ends), len(encoder.units)), np.float32)
    for row, features in zip(rows, np.split(positions, ends[:-1]), strict=True):
        row[features["input"]] = features["count"] * encoder.units[features["input"]]
    return list(rows)
