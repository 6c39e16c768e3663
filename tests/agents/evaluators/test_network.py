"""Networks as evaluators: whose they are, what they are worth, and what they refuse."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import evaluator_case

from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.network import NetworkEvaluator, of_game
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game


def constant(name: str, output: float, scale: tuple[float, float] = (-1.0, 1.0)) -> NetworkFile:
    """A network that gives every position the share sigmoid(output)."""
    encoder = encoder_of(load_game(name))
    assert encoder is not None
    layers = (
        (np.zeros((len(encoder.units), 2), np.float32), np.zeros(2, np.float32)),
        (np.zeros((2, 1), np.float32), np.array([output], np.float32)),
    )
    return NetworkFile(load_game(name).name, (encoder.name, encoder.version), scale, layers)


def evaluator(name: str, output: float, scale: tuple[float, float] = (-1.0, 1.0)) -> NetworkEvaluator:
    return of_game(load_game(name), constant(name, output, scale), "net")


def saved(folder: Path, network: NetworkFile) -> str:
    network.save(folder / "network.npz")
    return f"net(file={folder / 'network.npz'})"


def test_a_network_of_another_game(tmp_path: Path) -> None:
    spec = saved(tmp_path, constant("tic_tac_toe", 0.0))
    with pytest.raises(SpecError, match="is a network for 'tic_tac_toe', not for 'connect_four'"):
        make_evaluator(spec, "connect_four")
    spec = saved(tmp_path, constant("pig(winscore=20)", 0.0))
    with pytest.raises(SpecError, match="not for 'pig"):
        make_evaluator(spec, "pig(winscore=30)")


def test_the_game_that_a_file_names_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "someones_game.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    held = constant("tic_tac_toe", 0.0)
    spec = saved(tmp_path, NetworkFile("someones_game:Game", held.encoder, held.returns, held.layers))
    with pytest.raises(SpecError, match="is a network for 'someones_game:Game'"):
        make_evaluator(spec, "tic_tac_toe")
    assert "someones_game" not in sys.modules


def test_a_network_of_another_encoder(tmp_path: Path) -> None:
    held = constant("tic_tac_toe", 0.0)
    for encoder in (("observation", 2), ("backgammon", 1)):
        spec = saved(tmp_path, NetworkFile(held.game, encoder, held.returns, held.layers))
        with pytest.raises(SpecError, match=f"trained on {encoder[0]} version {encoder[1]}.*starspiel train"):
            make_evaluator(spec, "tic_tac_toe")
    fewer = ((held.layers[0][0][1:], held.layers[0][1]), held.layers[1])
    spec = saved(tmp_path, NetworkFile(held.game, held.encoder, held.returns, fewer))
    with pytest.raises(SpecError, match="with 27 inputs; tic_tac_toe has observation version 1 with 28"):
        make_evaluator(spec, "tic_tac_toe")


def test_an_observation_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starspiel.agents.encoders.observation._MOST", 26)
    with pytest.raises(SpecError, match="an observation tensor of 27 entries; networks see at most 26"):
        encoder_of(load_game("tic_tac_toe"))


@pytest.mark.filterwarnings("error")
def test_a_value_is_of_the_player_about_to_act() -> None:
    """Three quarters of what can be won, for one side and then for the other; sure shares, and the end."""
    game = "tic_tac_toe"
    valued = evaluator(game, float(np.log(3)))
    state = load_game(game).new_initial_state()
    assert valued(state) == pytest.approx(0.5)
    assert valued(state.child(0)) == pytest.approx(-0.5)
    assert (evaluator(game, -1000.0)(state), evaluator(game, 1000.0)(state)) == (-1.0, 1.0)
    for action in (0, 3, 1, 4, 2):
        state = state.child(action)
    assert valued(state) == 1.0


def test_what_is_not_seen_is_played_or_averaged() -> None:
    name = "backgammon"
    valued = make_evaluator(evaluator_case("net", name), name)
    thrown = load_game(name).new_initial_state()
    assert not valued.encoder.sees(thrown)
    mean = sum(chance * valued(thrown.child(outcome)) for outcome, chance in thrown.chance_outcomes())
    assert valued(thrown) == pytest.approx(mean)
    name = "einstein_wurfelt_nicht"
    valued = make_evaluator(evaluator_case("net", name), name)
    state = load_game(name).new_initial_state()
    while state.is_chance_node():
        assert valued(state) == 0.0 or state.move_number() > 1  # before the stones are placed
        state = state.child(state.chance_outcomes()[0][0])
    best = max if state.current_player() == 0 else min
    assert valued(state) == best(valued(state.child(action)) for action in state.legal_actions())


class Own(Pig):
    """A user's rules, which may be others."""


@pytest.mark.parametrize(
    ("game", "changes", "says"),
    [
        ("2048", {}, "is a game of one player"),
        (Own(), {}, "has no encoder"),
        ("tic_tac_toe", {"range": (-3.0, 3.0)}, "outputs go from -3 to 3; returns of tic_tac_toe lie"),
        ("tic_tac_toe", {"scale": 1e7}, "expected weights of the first layer within 1000"),
    ],
)
def test_networks_that_are_not_for_a_game_are_refused(game, changes, says) -> None:
    held: Any = constant("tic_tac_toe", 0.0, changes.get("range", (-1.0, 1.0)))
    if "scale" in changes:
        (weights, bias), last = held.layers
        layers = ((np.full_like(weights, changes["scale"]), bias), last)
        held = NetworkFile(held.game, held.encoder, held.returns, layers)
    with pytest.raises(StarspielError, match=says):
        of_game(load_game(game), held, "net")


def test_a_small_network_comes_beside_backgammons_and_can_be_given(tmp_path: Path) -> None:
    game = load_game("backgammon")
    net: Any = make_evaluator("net", game)
    assert sum(net.small.network.sizes[1:]) < 20 < sum(net.network.sizes[1:])
    assert make_evaluator("auto", game).small.inner.network == net.small.network  # type: ignore[attr-defined]
    large, small = tmp_path / "large.npz", tmp_path / "small.npz"
    constant("backgammon", 0.5).save(large)
    constant("backgammon", 0.0).save(small)
    alone: Any = make_evaluator(f"net(file={large})", game)
    paired: Any = make_evaluator(f"net(file={large},small={small})", game)
    state = game.new_initial_state().child(0)
    assert alone.small is None
    assert paired(state) == alone(state) != paired.small(state) == 0.0
    with pytest.raises(SpecError, match="network for"):
        make_evaluator(f"net(file={large},small={small})", load_game("pig"))
