"""Training by the workers of a local Ray: the same weights whoever is killed; what is refused in words."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support.piglets import Piglet

from starspiel import StarspielError, TrainingSettings, load_game, train
from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.learning import schedule, trainer
from starspiel.agents.learning.ray_self_play import RaySelfPlay
from starspiel.agents.learning.trainable import trainable

GAME = "einstein_wurfelt_nicht"
SETTINGS = TrainingSettings(games=200, hidden=(8,), seed=3, threads=1, ray=True, workers=2)


def shorten(patch):
    """What is shown is not how strong a network is."""
    patch.setattr(trainer, "score_matches", lambda *given: ())
    patch.setattr(schedule, "_ROUNDS", 10)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shorten(monkeypatch)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    modules = {"env_vars": {"PYTHONPATH": str(Path(__file__).parents[2])}}
    with pytest.MonkeyPatch.context() as patch:  # Ray's workers would yield to all that a busy machine does
        patch.setenv("RAY_worker_niceness", "0")
        ray.init("local", num_cpus=2, log_to_driver=False, include_dashboard=False, runtime_env=modules)
        yield ray
        ray.shutdown()


@pytest.fixture(scope="module")
def undisturbed(ray, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        return train(GAME, SETTINGS, output=tmp_path_factory.mktemp("undisturbed") / "a.npz")


def trainer_of(name, seed=1):
    game = load_game(name)
    make, _, returns = trainable(game)
    return make(game.new_initial_state(), [6], returns, seed)


def same_layers(one, other):
    pairs = zip(one, other, strict=True)
    return all(np.array_equal(a, b) for pair in pairs for a, b in zip(*pair, strict=True))


def same_weights(one, other):
    return all(
        read_network(a).checksum == read_network(b).checksum
        for a, b in ((one.file, other.file), (one.checkpoint, other.checkpoint))
    )


@pytest.mark.parametrize("game", [GAME, "backgammon(scoring_type=full_scoring)", Piglet(3)], ids=str)
@pytest.mark.parametrize("explore", [0.0, 0.3])
@pytest.mark.parametrize("exact", [False, True])
def test_learning_from_a_game_that_was_played_elsewhere_is_learning_while_playing(game, explore, exact):
    """All targets of a round are fixed before the first is learnt from."""
    here, there, learner = (trainer_of(game) for _ in range(3))
    for seed in range(5):
        played = {"seed": seed, "lambda_": 0.5, "explore": explore, "exact": exact, "games": 1}
        there.layers = learner.layers
        met = there.play(**played)
        learnt = learner.fit([met], rate=0.05, seed=seed)
        assert learnt == pytest.approx(here.train(rate=0.05, **played))
        assert same_layers(learner.layers, here.layers)


def test_lessons_of_several_tasks_are_learnt_as_those_of_one():
    one, several = trainer_of("backgammon"), trainer_of("backgammon")
    how = {"lambda_": 0.5, "exact": True, "games": 3}
    met = [several.play(seed=seed, **how) for seed in (1, 2)]
    features, ends, targets, games = (np.concatenate([each[k] for each in met]) for k in range(4))
    ends[len(met[0][1]) :] += len(met[0][0])
    games[len(met[0][3]) :] += len(met[0][1])
    assert several.fit(met, rate=0.01, seed=5) == one.fit(
        [(features, ends, targets, games)], rate=0.01, seed=5
    )
    assert same_layers(one.layers, several.layers)


def test_lessons_of_another_network_are_refused():
    lessons = trainer_of("backgammon").play(seed=1, lambda_=0.5, games=1)
    with pytest.raises(ValueError, match="another network's"):
        trainer_of("pig").fit([lessons], rate=0.1, seed=1)
    features, *others = lessons
    with pytest.raises(ValueError, match="another network's"):
        trainer_of("backgammon").fit([(features[1:], *others)], rate=0.1, seed=1)


@pytest.mark.slow
def test_workers_that_are_killed_change_nothing(ray, undisturbed, tmp_path, monkeypatch):
    calls, play = [], RaySelfPlay.train

    def kill_some(self, **how):
        calls.append(how)
        if len(calls) in (3, 5):
            for pid in ray.get([each.__ray_call__.remote(lambda _: os.getpid()) for each in self._players]):
                threading.Timer(0.005, os.kill, (pid, signal.SIGKILL)).start()
        return play(self, **how)

    monkeypatch.setattr(RaySelfPlay, "train", kill_some)
    disturbed = train(GAME, SETTINGS, output=tmp_path / "a.npz")
    assert len(calls) > 5
    assert disturbed.games == undisturbed.games == 200
    assert same_weights(disturbed, undisturbed)


@pytest.mark.slow
def test_a_worker_that_dies_in_the_midst_of_a_game_in_python_changes_nothing(ray, tmp_path):
    here, flag = os.getpid(), str(tmp_path / "died")

    class Mortal(Piglet):
        """Kills the process of a worker that has seen 50 positions, once."""

        def __init__(self):
            super().__init__()
            self.seen = {}

        def features(self, position):
            self.seen[os.getpid()] = seen = self.seen.get(os.getpid(), 0) + 1
            if seen == 50 and os.getpid() != here and not Path(flag).exists():
                Path(flag).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().features(position)

    settings = TrainingSettings(games=40, hidden=(4,), ray=True, workers=2)
    disturbed = train(Mortal(), settings, output=tmp_path / "a.npz")
    assert Path(flag).exists()
    assert same_weights(disturbed, train(Mortal(), settings, output=tmp_path / "b.npz"))


@pytest.mark.slow
def test_a_driver_that_is_killed_goes_on_from_its_checkpoint(undisturbed, tmp_path):
    file = tmp_path / "a.npz"
    code = (
        "from starspiel.agents.learning import run, schedule, trainer; import starspiel;"
        "run._CHECKPOINT_SECONDS = 0;"
        "schedule._ROUNDS = 10; trainer.score_matches = lambda *given: ();"
        f"starspiel.train({GAME!r}, starspiel.{SETTINGS!r}, output={str(file)!r})"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        checkpoint = tmp_path / "a.npz.checkpoint"
        while not checkpoint.exists() or read_network(checkpoint).made["state"]["chunks"] < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert read_network(checkpoint).made["state"]["games"] < 200
    resumed = train(GAME, output=file, resume=True)
    assert resumed.games == 200
    assert same_weights(resumed, undisturbed)


@pytest.mark.slow
def test_time_ends_a_training_and_what_fails_on_a_worker_is_told(ray, tmp_path):
    result = train(GAME, SETTINGS.changed({"minutes": 0.05}), output=tmp_path / "a.npz")
    assert result.games > 0
    assert read_network(result.file).made["command"].endswith("--seed 3 --threads 1 --ray --workers 2")

    here = os.getpid()

    class Broken(Piglet):
        def features(self, position):
            if os.getpid() != here:
                raise RuntimeError("no features today")
            return super().features(position)

    with pytest.raises(StarspielError, match=r"a task on the cluster failed: .*no features today"):
        train(Broken(), SETTINGS.changed({"hidden": (2,)}), output=tmp_path / "b.npz")


def test_without_ray_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(StarspielError, match=r"starspiel\[ray\]"):
        train(GAME, SETTINGS, output=tmp_path / "a.npz")
    assert not list(tmp_path.glob("a.npz*"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"workers": 2}, "add ray=True"),
        ({"address": "auto"}, "add ray=True"),
        ({"ray": 1}, "ray must be True or False"),
        ({"ray": True, "workers": 0}, "workers must be"),
        ({"ray": True, "address": 5}, "address must be"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(StarspielError, match=message):
        TrainingSettings(**settings)


def test_n_tuples_are_trained_without_it(tmp_path):
    with pytest.raises(StarspielError, match="trained without ray"):
        train("star_2048", {"games": 2, "ray": True}, output=tmp_path / "a.npz")
