"""Runs networks in the ONNX format as evaluators, by ONNX Runtime: `onnx(file=model.onnx)`."""

from typing import Any

from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.positions import needed_encoder
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, shown


def onnx_from_file(game: Game, file: str) -> BatchEvaluator:
    """Returns the evaluator of `onnx(file=…)`, which maps rows of the game's encoder to values of the player
    about to act.

    The model must have one input, float32 of shape (n, features) with n left open, and one output that
    BatchEvaluator accepts: of shape (n,), (n, 1) or (n, players). It runs on one thread, because agents play
    in parallel. Raises SpecError if onnxruntime is not installed, or if the file holds no such model.
    """
    if not isinstance(file, str):
        raise SpecError(f"onnx: file must name a file in the ONNX format, got {shown(file)}.")
    try:
        import onnxruntime
    except ImportError:
        raise SpecError(
            'onnx needs onnxruntime, which is not installed: pip install "starspiel[onnx]".'
        ) from None
    encoder = needed_encoder(game)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are reported below
    try:
        with open(file, "rb") as model:
            session = onnxruntime.InferenceSession(model.read(), options, providers=["CPUExecutionProvider"])
    except OSError as error:
        raise SpecError(f"cannot read the model {file}: {error.strerror or error}.") from None
    except Exception as error:  # onnxruntime's errors have no common base class
        raise SpecError(f"{file} holds no model that ONNX Runtime reads: {error}") from None
    _check(session, file, len(encoder.units), game)
    name = session.get_inputs()[0].name
    return BatchEvaluator(lambda rows: session.run(None, {name: rows})[0], encoder, name=f"onnx(file={file})")


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
            f"{file} takes {kind} of shape {shape}; expected tensor(float) of shape (n, {features}), with n "
            f"left open, for the encoder of {game.name}."
        )
