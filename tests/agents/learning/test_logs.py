"""Logs of a training: what each client is told, once the training has begun, and what is refused in words."""

import json
import sys
from types import SimpleNamespace

import pytest

from starspiel import StarspielError, TrainingSettings, train
from starspiel.agents.learning import trainer
from starspiel.agents.learning.logs import numbers_of
from starspiel.agents.learning.result import NTupleMoment, Points
from starspiel.envs.errors import StarspielWarning

GAME = "einstein_wurfelt_nicht"
SETTINGS = TrainingSettings(games=40, hidden=(4,), threads=1)


def clients(told):
    """Stand-ins for the clients, with the calls that are made of them."""

    def scalar(name, number, games):
        told.append(({name: number}, games))

    def ended():
        told.append("ended")

    writer = SimpleNamespace(add_scalar=scalar, flush=lambda: None, close=ended)
    run = SimpleNamespace(log=lambda numbers: told.append((numbers, numbers["games"])), finish=ended)
    return {
        "tensorboard": ("tensorboardX", {"SummaryWriter": lambda folder: told.append(folder) or writer}),
        "wandb": ("wandb", {"init": lambda name: told.append(name) or run}),
        "mlflow": (
            "mlflow",
            {
                "start_run": lambda run_name: told.append(run_name),
                "log_metrics": lambda numbers, step: told.append((numbers, step)),
                "end_run": ended,
            },
        ),
    }


@pytest.mark.parametrize("client", ["tensorboard", "wandb", "mlflow"])
def test_the_curve_is_told(monkeypatch, tmp_path, client):
    monkeypatch.setattr(trainer, "_LEAST_PAIRS", 1)
    told = []
    package, functions = clients(told)[client]
    monkeypatch.setitem(sys.modules, package, SimpleNamespace(**functions))
    result = train(GAME, SETTINGS, output=tmp_path / "a.npz", log=client)
    begun, *moments, ended = told
    assert begun == {"tensorboard": f"{result.file}.tensorboard"}.get(client, "a.npz")
    assert ended == "ended"
    logged = {(name, games): number for numbers, games in moments for name, number in numbers.items()}
    last = json.loads(result.curve.read_text())["curve"][-1]
    assert logged["error", 40] == pytest.approx(last["error"])
    shares = {(score["opponent"], score["depth"]): score["share"] for score in last["scores"]}
    assert logged["score/depth_1/random", 40] == shares["random", 1]
    assert logged["score/depth_2/mcts", 40] == shares["mcts(simulations=100)", 2]
    told.clear()
    with pytest.raises(StarspielError, match="already exists"):
        train(GAME, SETTINGS, output=tmp_path / "a.npz", log=client)
    assert told == []


def test_points_of_n_tuples():
    points = Points("1 ply", 500.0, 10.0, 100)
    numbers = numbers_of(NTupleMoment(0.5, 10, 900, 1.0, 900.0, points, played=True))
    assert numbers == {"seconds": 1, "moves": 900, "moves_per_second": 900, "points/match": 500}


def test_clients_that_are_not_there(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    for log, message in (("tensorboard", "pip install tensorboardX"), ("paper", "got 'paper'")):
        with pytest.raises(StarspielError, match=message):
            train(GAME, SETTINGS, output=tmp_path / "a.npz", log=log)
    assert not list(tmp_path.glob("a.npz.*"))


@pytest.mark.parametrize("since", ["log", "end"])
def test_a_client_that_fails_does_not_end_the_training(monkeypatch, tmp_path, since):
    def fail(*_, **__):
        raise OSError("the server is gone\nsee its log")

    run = SimpleNamespace(log=lambda numbers: None, finish=lambda: None)
    setattr(run, {"log": "log", "end": "finish"}[since], fail)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=lambda name: run))
    with pytest.warns(StarspielWarning, match=r"wandb ended early \(OSError: the server is gone\)") as warned:
        result = train(GAME, SETTINGS, output=tmp_path / "a.npz", log="wandb")
    assert len(warned) == 1
    assert result.file.exists()
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=fail))
    with pytest.raises(StarspielError, match=r"cannot begin: OSError: the server is gone$"):
        train(GAME, SETTINGS, output=tmp_path / "b.npz", log="wandb")
