"""`onnx(file=…)`: values of a model in the ONNX format, and in words what is none."""

import sys

import numpy as np
import pytest
from support.onnx_models import linear_model, ones

import starspiel
from starspiel.agents.encoders import encoder_of
from starspiel.envs.load import load_game


def test_without_onnxruntime_it_is_refused_in_words(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(starspiel.SpecError, match=r'pip install "starspiel\[onnx\]"'):
        starspiel.make_evaluator("onnx(file=model.onnx)", "connect_four")


class TestWithOnnxRuntime:
    @pytest.fixture(autouse=True)
    def _installed(self):
        pytest.importorskip("onnxruntime")

    @pytest.mark.parametrize("engine", ["python", "auto"])
    def test_the_values_are_those_of_the_model(self, tmp_path, engine):
        game = load_game("connect_four")
        weights = (
            np.random.default_rng(1).normal(0, 0.02, (len(encoder_of(game).units), 1)).astype(np.float32)
        )
        file = tmp_path / "model.onnx"
        file.write_bytes(linear_model(weights))
        value = starspiel.make_evaluator(f"onnx(file={file})", game)
        same = starspiel.agents.evaluators.BatchEvaluator(lambda rows: rows @ weights, game)
        found, expected = (
            starspiel.search(
                game.new_initial_state(), "star2", starspiel.Limits(depth=2), evaluator, engine=engine
            )
            for evaluator in (value, same)
        )
        assert found.action_values == pytest.approx(expected.action_values, abs=1e-6)
        assert found.evaluator == f"onnx(file={file})"

    @pytest.mark.parametrize(
        ("model", "words"),
        [
            (b"nothing of the kind", "holds no model"),
            (linear_model(ones(5)), r"expected tensor\(float\) of shape \(n, 127\)"),
            (linear_model(ones(127), [1, 127]), r"of shape \[1, 127\]; expected"),
        ],
    )
    def test_other_models_are_refused(self, tmp_path, model, words):
        file = tmp_path / "model.onnx"
        file.write_bytes(model)
        with pytest.raises(starspiel.SpecError, match=words):
            starspiel.make_evaluator(f"onnx(file={file})", "connect_four")

    def test_a_file_that_is_not_there_is_refused(self, tmp_path):
        with pytest.raises(starspiel.SpecError, match="cannot read the model"):
            starspiel.make_evaluator(f"onnx(file={tmp_path}/none.onnx)", "connect_four")

    def test_two_values_a_row_are_refused(self, tmp_path):
        file = tmp_path / "model.onnx"
        file.write_bytes(linear_model(ones(127, 2)))
        value = starspiel.make_evaluator(f"onnx(file={file})", "connect_four")
        with pytest.raises(starspiel.EvaluatorError, match=r"returned an array of shape \(1, 2\)"):
            value(load_game("connect_four").new_initial_state())
