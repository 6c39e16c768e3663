"""Networks in the ONNX format as evaluators, by ONNX Runtime: `onnx(file=model.onnx)`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, shown


def onnx_from_file(game: Game, file: str) -> BatchEvaluator:
    """The evaluator `onnx(file=…)`: a model from rows of the game's encoder to values of the player about to
    act.

    Its one input is float32 of shape (n, features), with n left open, its one output (n,) or (n, 1). It runs
    on one
    thread: agents play side by side.

    Raises SpecError where onnxruntime is not installed, the file holds no model, or the model takes
    something else.
    """
    if not isinstance(file, str):
        raise SpecError(f"onnx: file must name a file in the ONNX format, got {shown(file)}.")
    try:
        import onnxruntime
    except ImportError:
        raise SpecError(
            'onnx needs onnxruntime, which is not installed: pip install "starspiel[onnx]".'
        ) from None
    encoder = encoder_of(game)
    if encoder is None:
        raise SpecError(
            f"{game.name} has no encoder, so no network values it; use heuristic, rollout or zero."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is said below
    try:
        with open(file, "rb") as model:
            session = onnxruntime.InferenceSession(model.read(), options, providers=["CPUExecutionProvider"])
    except OSError as error:
        raise SpecError(f"cannot read the model {file}: {error.strerror or error}.") from None
    except Exception as error:  # onnxruntime's own have no common base
        raise SpecError(f"{file} holds no model that ONNX Runtime reads: {error}") from None
    _check(session, file, len(encoder.units), game)
    name = session.get_inputs()[0].name

    def values(rows: NDArray[np.float32]) -> Any:
        return session.run(None, {name: rows})[0]

    return BatchEvaluator(values, encoder, name=f"onnx(file={file})")


def _check(session: Any, file: str, features: int, game: Game) -> None:
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1 or len(outputs) != 1:
        raise SpecError(
            f"{file} has {len(inputs)} inputs and {len(outputs)} outputs; expected one of each: rows of "
            f"{features} features, and their values."
        )
    shape, kind = inputs[0].shape, inputs[0].type
    open_rows = len(shape) == 2 and not isinstance(shape[0], int)
    if not open_rows or kind != "tensor(float)" or (isinstance(shape[1], int) and shape[1] != features):
        raise SpecError(
            f"{file} takes {kind} of shape {shape}; expected tensor(float) of shape (n, {features}), "
            f"with n left "
            f"open, for the encoder of {game.name}."
        )
