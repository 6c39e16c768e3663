"""Training: repeatable, resumable after any end, refused in words."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pyspiel
import pytest
from support.piglets import Piglet

from starspiel import Limits, StarspielError, TrainingSettings, load_game, search, train
from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.learning import trainable, trainer
from starspiel.agents.learning.schedule import Phase
from starspiel.agents.learning.score import Score
from starspiel.envs.rules import Rules
from starspiel.evaluation import tournament


@pytest.fixture(autouse=True)
def short_matches(monkeypatch):
    """One pair of two after so few games: what is shown is not how strong a network is."""
    monkeypatch.setattr(trainer, "_LEAST_PAIRS", 1)


SMALL = TrainingSettings(games=60, hidden=(8,), threads=1, seed=3)
GAME = "einstein_wurfelt_nicht"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A small training, whose files are not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "_LEAST_PAIRS", 1)
        return train(GAME, SMALL, output=tmp_path_factory.mktemp("trained") / "a.npz")


def test_one_thread_and_a_seed_repeat_bit_for_bit_and_more_games_go_on(tmp_path, trained):
    file = tmp_path / "a.npz"
    again = train(GAME, SMALL, output=file)
    assert (again.games, again.scores) == (60, trained.scores)
    for one, other in ((again.file, trained.file), (again.checkpoint, trained.checkpoint)):
        assert read_network(one).checksum == read_network(other).checksum
    result = train(GAME, {"games": 100}, output=file, resume=True)
    assert result.games == 100
    assert read_network(result.checkpoint).made["settings"]["seed"] == SMALL.seed
    moments = json.loads(result.curve.read_text())["curve"]
    assert [moment["games"] for moment in moments] == sorted(moment["games"] for moment in moments)
    assert moments[-1]["games"] == 100
    scores = moments[-1]["scores"]
    assert {(score["opponent"], score["depth"]) for score in scores} == {
        ("random", 1),
        *((f"star2(depth={depth},evaluator=heuristic)", depth) for depth in (1, 2)),
        *((opponent, depth) for opponent in ("mcts(simulations=100)", "best") for depth in (1, 2)),
    }
    assert ElementTree.parse(result.picture).getroot().tag.endswith("svg")


def test_a_killed_training_is_gone_on_with(tmp_path):
    """The checkpoint is read by another process while it is written, and after kill -9."""
    file = tmp_path / "a.npz"
    code = (
        "from starspiel.agents.learning import run; import starspiel; run._CHECKPOINT_SECONDS = 0;"
        f"starspiel.train({GAME!r}, dict(games=10**9, hidden=(8,), threads=1), output={str(file)!r})"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        checkpoint = tmp_path / "a.npz.checkpoint"
        while not checkpoint.exists() or read_network(checkpoint).made["state"]["chunks"] < 5:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    games = read_network(checkpoint).made["state"]["games"]
    assert games >= 100
    assert read_network(file).game == GAME
    result = train(GAME, {"games": games + 20}, output=file, resume=True)
    assert result.games == games + 20


def test_a_training_killed_in_its_first_match_has_its_files(tmp_path, monkeypatch):
    def die(run, stop):
        raise SystemExit

    monkeypatch.setattr(trainer.NetworkRun, "match", die)
    with pytest.raises(SystemExit):
        train(GAME, {"games": 1, "hidden": (8,), "threads": 1}, output=tmp_path / "a.npz")
    assert read_network(tmp_path / "a.npz.checkpoint").made["state"]["games"] == 1
    assert read_network(tmp_path / "a.npz").game == GAME


def test_ctrl_c_keeps_what_was_learnt(tmp_path):
    told = []

    def interrupt(moment):
        told.append(moment)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    result = train(
        GAME, TrainingSettings(games=1000, hidden=(8,), threads=1), output=tmp_path / "a", progress=interrupt
    )
    assert result.interrupted
    assert result.games < 1000
    assert read_network(result.file).game == GAME
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_does_not_wait_for_the_end_of_a_game(tmp_path, monkeypatch):
    """Games of chinese_checkers have thousands of moves; those that are counted are played again."""
    play = trainer.NetworkRun.learn

    def play_and_interrupt(run, stop):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        play(run, stop)

    monkeypatch.setattr(trainer.NetworkRun, "learn", play_and_interrupt)
    began = time.process_time()
    result = train(
        "chinese_checkers", {"games": 2000, "hidden": (2,), "threads": 1}, output=tmp_path / "a.npz"
    )
    assert (result.interrupted, result.games) == (True, 0)
    assert time.process_time() - began < 5


def test_too_short_for_a_match(tmp_path, monkeypatch):
    ends = []
    monkeypatch.setattr(trainer, "score_matches", lambda *given: ends.append(given[-1]) or ())
    result = train(GAME, {"minutes": 0.02, "hidden": (4,), "threads": 1}, output=tmp_path / "a.npz")
    assert all(end < float("inf") for end in ends)
    assert (len(ends), result.scores, result.interrupted) == (2, (), False)
    assert "too short for the games of a match" in str(result)
    assert read_network(result.file).made["scores"] == []


@pytest.mark.parametrize("games", [18, 60])
def test_a_match_that_was_interrupted_is_played_before_the_training_goes_on(tmp_path, trained, games):
    def interrupt(moment):
        if moment.games == games:
            os.kill(os.getpid(), signal.SIGINT)

    first = train(GAME, SMALL, output=tmp_path / "a.npz", progress=interrupt)
    assert (first.interrupted, first.games) == (True, games)
    assert ElementTree.parse(first.picture).getroot().tag.endswith("svg")
    result = train(GAME, output=tmp_path / "a.npz", resume=True)
    assert read_network(result.file).checksum == read_network(trained.file).checksum
    curves = [json.loads(each.curve.read_text())["curve"] for each in (result, trained)]
    mine, whole = ([(m["games"], m["error"], m["scores"], m["kept"]) for m in curve] for curve in curves)
    assert mine == whole


def test_one_training_at_a_time_has_a_file(tmp_path):
    file, refused = tmp_path / "a.npz", []

    def another(moment):
        for resume in (False, True):
            with pytest.raises(StarspielError, match=r"a\.npz is being trained already") as caught:
                train(GAME, SMALL, output=file, resume=resume)
            refused.append(caught)

    train(GAME, SMALL, output=file, progress=another)
    assert refused
    assert {path.name for path in tmp_path.iterdir()} == {
        "a.npz",
        "a.npz.checkpoint",
        "a.npz.curve.json",
        "a.npz.curve.svg",
    }
    train(GAME, {"games": 80}, output=file, resume=True)


def test_the_network_of_another_game_is_not_gone_on_with(tmp_path):
    other = "pig(winscore=10)"
    of_other = train(other, SMALL, output=tmp_path / "other.npz").file
    result = train(GAME, SMALL, output=tmp_path / "a.npz")
    result.file.write_bytes(of_other.read_bytes())
    with pytest.raises(StarspielError, match=f"a.npz is of {re.escape(other)}, not of {GAME}"):
        train(GAME, {"games": 80}, output=result.file, resume=True)
    assert result.file.read_bytes() == of_other.read_bytes()


def test_a_network_or_another_file_is_not_lost(tmp_path):
    file = tmp_path / "a.npz"
    result = train(GAME, SMALL, output=file)
    before = file.read_bytes(), result.checkpoint.read_bytes()
    with pytest.raises(StarspielError, match="already exists: continue it"):
        train(GAME, SMALL, output=file)
    assert (file.read_bytes(), result.checkpoint.read_bytes()) == before
    file.unlink()
    with pytest.raises(StarspielError, match="checkpoint already exists"):
        train(GAME, SMALL, output=file)
    with pytest.raises(StarspielError, match="cannot go on with"):
        train(GAME, {"seed": 9}, output=file, resume=True)
    with pytest.raises(StarspielError, match="no checkpoint"):
        train(GAME, SMALL, output=tmp_path / "b.npz", resume=True)
    file.write_text("Dear Anna")
    with pytest.raises(StarspielError, match="already exists; name another --output"):
        train(GAME, SMALL, output=file)
    assert file.read_text() == "Dear Anna"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"made": {}}, "no checkpoint of a training"),
        ({"made": {"settings": {"hidden": [8]}, "state": {}}}, "no checkpoint of a training"),
        ({"made": {"settings": {"hidden": [9], "games": 9, "threads": 1}}}, "no checkpoint of a training"),
        ({"made": {"settings": {"hidden": 8}, "state": {}}}, "no checkpoint of a training"),
        ({"encoder": (GAME, 99)}, "version 99"),
        ({"game": "pig"}, "is of pig"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(tmp_path, trained, changes, says):
    replace(read_network(trained.checkpoint), **changes).save(tmp_path / trained.checkpoint.name)
    with pytest.raises(StarspielError, match=says):
        train(GAME, {"games": 80}, output=tmp_path / "a.npz", resume=True)


def test_a_training_that_begins_with_another_network(tmp_path, trained):
    given = {"games": 40, "threads": 1, "start": trained.file}
    same_size = train(GAME, given, output=tmp_path / "same.npz")
    larger = train(GAME, given | {"hidden": (12,)}, output=tmp_path / "larger.npz")
    made = read_network(larger.file).made
    held = read_network(trained.file)
    assert read_network(same_size.file).sizes == held.sizes
    assert read_network(larger.file).sizes[1:] == (12, 1)
    assert made["command"].endswith("--games 40 --hidden 12 --seed 1 --threads 1 --start a.npz")
    assert made["begun_with"] == {"checksum": held.checksum, "made": held.made}
    assert str(trained.file.parent) not in json.dumps(made)
    train(GAME, {"games": 60}, output=larger.file, resume=True)
    assert read_network(larger.checkpoint).made["begun_with"] == made["begun_with"]


def test_a_training_begins_with_what_the_network_knows(tmp_path, monkeypatch):
    """After one game of a rate that moves nothing the network that came is still there."""
    monkeypatch.setattr("starspiel.agents.learning.trainer.phase", lambda *given: Phase(True, 1e-12, 0.8))
    given = {"games": 1, "threads": 1, "start": "net", "hidden": (144, 40)}
    result = train(GAME, given, output=tmp_path / "a.npz")
    state = load_game(GAME).new_initial_state()
    while state.current_player() < 0:
        state = state.child(state.chance_outcomes()[0][0])
    values = [
        search(state, limits=Limits(depth=1), evaluator=spec).value
        for spec in (f"net(file={result.file})", "net")
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-5)


def test_a_training_from_a_network_that_learnt_long_begins_at_a_low_rate(tmp_path, monkeypatch):
    rates = []
    phase = trainer.phase
    monkeypatch.setattr(trainer, "phase", lambda *given: rates.append(phase(*given).rate) or phase(*given))
    for start in ("net", None):
        train(GAME, {"games": 1, "threads": 1, "start": start}, output=tmp_path / f"{start}.npz")
    assert rates[0] < 0.02 * rates[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "games"), [("breakthrough(rows=5,columns=4)", 4_000), (GAME, 100_000)])
def test_threads_do_not_spoil_what_each_other_learnt(tmp_path, game, games):
    """If they do, the network plays no better than random moves, or worse."""
    settings = TrainingSettings(games=games, hidden=(32,), threads=16)
    last = train(game, settings, output=tmp_path / "a.npz").checkpoint
    agents = {"network": f"star2(depth=1,evaluator=net(file={last}))", "random": "random"}
    assert tournament(game, agents, pairs=60).matrix[0, 1] > 0.8


class _Stumbling:
    """A trainer whose weights are not finite after its third call, until others are set."""

    def __init__(self, trainer):
        self.trainer, self.rates, self.stumbled = trainer, [], False

    def train(self, **settings):
        self.rates.append(settings["rate"])
        self.stumbled = len(self.rates) == 3
        return self.trainer.train(**settings)

    @property
    def layers(self):
        lost = np.nan if self.stumbled else 1
        return [(weights * lost, bias) for weights, bias in self.trainer.layers]

    @layers.setter
    def layers(self, layers):
        self.stumbled = False
        self.trainer.layers = layers


def test_weights_that_are_not_finite_are_left_for_those_before(tmp_path, monkeypatch):
    made = []
    original = trainable.native_trainer
    monkeypatch.setattr(
        trainable, "native_trainer", lambda *given: made.append(_Stumbling(original(*given))) or made[-1]
    )
    result = train("connect_four", replace(SMALL, games=120), output=tmp_path / "a.npz")
    for file in (result.file, result.checkpoint):
        assert all(np.isfinite(values).all() for layer in read_network(file).layers for values in layer)
    assert made[0].rates[3] < 0.6 * made[0].rates[2]
    assert read_network(result.checkpoint).made["state"]["damping"] == 0.5


def test_the_file_and_how_it_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = train(pyspiel.load_game("tic_tac_toe"), {"games": 20, "hidden": [4], "threads": 1})
    made = read_network(result.file).made
    assert (result.games, result.game, result.file.name) == (20, "tic_tac_toe", "tic_tac_toe.net.npz")
    assert made["command"] == "starspiel train tic_tac_toe --games 20 --hidden 4 --seed 1 --threads 1"
    assert (made["seed"], made["scores"][0]["opponent"]) == (1, "random")
    assert 0 < made["games"] <= 20
    assert made["processor_seconds"] >= 0
    assert set(made["versions"]) == {"starspiel", "open_spiel", "numpy", "python"}
    assert str(tmp_path) not in json.dumps(made)
    assert train("tic_tac_toe", {"games": 40, "hidden": [4]}, resume=True).games == 40
    assert train("pig(winscore=20)", replace(SMALL, games=10)).file.name == "pig_winscore_20.net.npz"


def test_a_training_that_begins_with_the_heuristic(tmp_path):
    given = {"games": 4, "hidden": (4,), "threads": 1, "heuristic": True}
    result = train(GAME, given, output=tmp_path / "a.npz")
    assert read_network(result.file).made["command"].endswith("--seed 1 --threads 1 --heuristic")
    assert train(GAME, {"games": 5}, output=tmp_path / "a.npz", resume=True).games == 5
    with pytest.raises(StarspielError, match=r"heuristic=True; it cannot go on with .*heuristic=False"):
        train(GAME, {"heuristic": False}, output=tmp_path / "a.npz", resume=True)


class Shares(Piglet):
    """Who wins has 1 and the other 0."""

    utility_range = (0.0, 1.0)


class Silent(Piglet):
    """No network sees it."""

    features = Rules.features


KNOWING = replace(SMALL, games=2, heuristic=True)


@pytest.mark.parametrize(
    ("game", "settings", "says"),
    [
        ("2048", SMALL, "1 player"),
        ("pgi", SMALL, "Did you mean"),
        (Silent(), SMALL, r"no features\(position\) in its rules"),
        (Shares(), SMALL, r"returns from 0 to 1; .*utility_range = \(-1, 1\)"),
        ("tic_tac_toe", KNOWING, "no heuristic comes with starspiel for tic_tac_toe"),
        ("connect_four(rows=9,columns=9)", KNOWING, "no heuristic for this game"),
        ("python_tic_tac_toe", KNOWING, "trained in NumPy, which cannot begin with a heuristic"),
        (GAME, 3, "expected the settings, or their fields by name, got"),
        (GAME, [("games", 3)], "expected the settings, or their fields by name, got"),
        (GAME, {"minutes": 0}, "minutes must be positive"),
        (GAME, {"games": 0}, "games must be"),
        (GAME, {"hidden": ()}, "1 to 8 layers"),
        (GAME, {"hidden": (0,)}, "hidden must be"),
        (GAME, {"hidden": 8}, "hidden must list"),
        (GAME, {"hidden": "8"}, "hidden must list"),
        (GAME, {"threads": 17}, "threads must be at most 16"),
        (GAME, {"seed": -1}, "seed must be"),
        (GAME, {"heuristic": 1}, "heuristic must be True or False"),
        (GAME, {"games": 1, "start": "nowhere.npz"}, "nowhere.npz"),
        (GAME, {"games": 1, "start": "net", "hidden": (8,)}, "hidden layers of 128,32: expected as many"),
        (GAME, {"start": ""}, "start must name the file of a network"),
        ("tic_tac_toe", {"games": 1, "start": "net"}, "no network comes with starspiel for tic_tac_toe"),
        ("star_2048(rows=2)", {"tuples": "huge"}, "tuples must be one of large, small"),
        ("star_2048(rows=2)", {"threads": 0}, "threads must be"),
    ],
)
def test_what_cannot_be_trained_is_refused(game, settings, says, tmp_path):
    with pytest.raises(StarspielError, match=says):
        train(game, settings, output=tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("later", "damping"), [([0.2] + 20 * [0.9], 0.5), (20 * [0.84], 1.0)])
def test_a_network_that_collapses_is_left_for_the_best_and_a_little_worse_one_is_not(
    tmp_path, monkeypatch, later, damping
):
    shares = iter([0.9, *later])
    monkeypatch.setattr(
        trainer, "score_matches", lambda *given: (Score("random", 1, next(shares), 400, 0.02),)
    )
    result = train(GAME, replace(SMALL, games=200), output=tmp_path / "a.npz")
    assert read_network(result.checkpoint).made["state"]["damping"] == damping
    assert result.scores[0].share == 0.9


def test_a_resumed_training_can_leave_ray():
    began = TrainingSettings(hidden=(8,), ray=True, workers=3, address="auto")
    assert began.resumed({}) == began.resumed({"ray": True}) == began
    assert began.resumed({"workers": 5}) == replace(began, workers=5)
    assert began.resumed({"ray": False}) == TrainingSettings(hidden=(8,))
    with pytest.raises(StarspielError, match="add ray=True"):
        began.resumed({"ray": False, "workers": 5})


def test_the_error_is_told_with_the_targets_that_it_is_of(tmp_path):
    moments = []
    train(
        GAME, {"games": 1, "hidden": (2,), "threads": 1}, output=tmp_path / "a.npz", progress=moments.append
    )
    assert [moment.exact for moment in moments] == [False] * len(moments) != []


def test_a_training_by_minutes_goes_on_in_its_phase(tmp_path, monkeypatch):
    """The first round after a resumption has the rate of the last before, or less, and exact targets."""
    phases = []
    original = trainer.phase
    monkeypatch.setattr(trainer, "phase", lambda *given: phases.append(original(*given)) or phases[-1])
    monkeypatch.setattr(trainer, "score_matches", lambda *given: ())

    def interrupt(moment):
        if moment.share > 0.7:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("starspiel.agents.learning.run._PROGRESS_SECONDS", 0.0)
    given = {"minutes": 0.05, "hidden": (8,), "threads": 1}
    assert train(GAME, given, output=tmp_path / "a.npz", progress=interrupt).interrupted
    last = phases[-1]
    phases.clear()
    train(GAME, output=tmp_path / "a.npz", resume=True)
    assert (last.exact, phases[0].exact) == (True, True)
    assert phases[0].rate <= last.rate


def test_ctrl_c_leaves_nothing_of_half_a_round(tmp_path, monkeypatch):
    class Stopped(_Stumbling):
        """A trainer that is stopped in its second round, when it has changed the weights."""

        def train(self, **settings):
            self.rates.append(settings["rate"])
            done = self.trainer.train(**settings)
            if len(self.rates) == 1:
                self.kept = self.trainer.layers
                return done
            os.kill(os.getpid(), signal.SIGINT)
            while not settings["stop"]():
                time.sleep(0.01)
            return 0, 0, 0.0

    made = []
    original = trainable.native_trainer
    monkeypatch.setattr(
        trainable, "native_trainer", lambda *given: made.append(Stopped(original(*given))) or made[-1]
    )
    monkeypatch.setattr(trainer, "score_matches", lambda *given: ())
    given = {"minutes": 0.5, "hidden": (8,), "threads": 1}
    result = train(GAME, given, output=tmp_path / "a.npz")
    assert result.interrupted
    held = read_network(result.checkpoint)
    assert held.made["state"]["error"] > 0
    assert all(
        np.array_equal(*pair)
        for layers in zip(held.layers, made[0].kept, strict=True)
        for pair in zip(*layers, strict=True)
    )


@pytest.mark.parametrize("game", ["backgammon", "star_2048"])
def test_a_training_too_short_for_a_game_is_refused_and_writes_nothing(tmp_path, game) -> None:
    with pytest.raises(StarspielError, match=r"nothing was learnt\. Give more than 1e-05 minutes"):
        train(game, {"minutes": 1e-5, "threads": 1}, output=tmp_path / "a.npz")
    assert not [*tmp_path.glob("a.npz*")]
