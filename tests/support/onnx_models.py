"""Files in the ONNX format, written by hand: Protocol Buffers with one matrix."""

import numpy as np


def linear_model(weights, shape=None):
    """The model rows @ weights, from (n, features) to (n, outputs); `shape` is what it says of its input."""
    features, outputs = weights.shape
    shape = shape or ["n", features]
    node = _field(1, b"x") + _field(1, b"w") + _field(2, b"y") + _field(4, b"MatMul")
    matrix = (
        _number(1, features)
        + _number(1, outputs)
        + _number(2, 1)
        + _field(8, b"w")
        + _field(9, weights.astype("<f4").tobytes())
    )
    graph = (
        _field(1, node)
        + _field(2, b"g")
        + _field(5, matrix)
        + _field(11, _tensor(b"x", shape))
        + _field(12, _tensor(b"y", [shape[0], outputs]))
    )
    return _number(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _number(2, 13))


def _tensor(name, shape):
    sizes = b"".join(
        _field(1, _number(1, size) if isinstance(size, int) else _field(2, size.encode())) for size in shape
    )
    return _field(1, name) + _field(2, _field(1, _number(1, 1) + _field(2, sizes)))


def _field(number, value):
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _number(number, value):
    return _varint(number << 3) + _varint(value)


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def ones(features, outputs=1):
    return np.full((features, outputs), 0.001, np.float32)
