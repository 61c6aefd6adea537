"""An ONNX file written by hand: no package of ONNX, no torch. Protocol buffers are fields of (number, kind, value)."""

from collections.abc import Sequence

FLOAT, INT64 = 1, 7


def reader_onnx() -> bytes:
    """A network with the reader's inputs and outputs: start = ids, end = −ids, sentence = mask, kind = mean of ids."""
    nodes = [
        _node("Cast", ["input_ids"], "start", _integer_attribute("to", FLOAT)),
        _node("Neg", ["start"], "end"),
        _node("Cast", ["attention_mask"], "sentence", _integer_attribute("to", FLOAT)),
        _node("ReduceMean", ["start"], "mean", _integers_attribute("axes", [1])),
        _node("Concat", ["mean"] * 4, "kind", _integer_attribute("axis", 1)),
    ]
    inputs = [_value(name, INT64) for name in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [_value(name, FLOAT) for name in ("kind", "start", "end", "sentence")]
    graph = [
        *(_bytes(1, node) for node in nodes),
        _bytes(2, b"reader"),
        *(_bytes(11, one) for one in inputs),
        *(_bytes(12, one) for one in outputs),
    ]
    return _number(1, 8) + _bytes(7, b"".join(graph)) + _bytes(8, _number(2, 13))


def _node(kind: str, inputs: Sequence[str], output: str, attribute: bytes = b"") -> bytes:
    fields = [_bytes(1, name.encode()) for name in inputs] + [_bytes(2, output.encode()), _bytes(4, kind.encode())]
    return b"".join(fields) + (_bytes(5, attribute) if attribute else b"")


def _integer_attribute(name: str, value: int) -> bytes:
    return _bytes(1, name.encode()) + _number(3, value) + _number(20, 2)


def _integers_attribute(name: str, values: Sequence[int]) -> bytes:
    return _bytes(1, name.encode()) + b"".join(_number(8, value) for value in values) + _number(20, 7)


def _value(name: str, kind: int) -> bytes:
    """A matrix of windows by tokens; the sizes are open."""
    shape = b"".join(_bytes(1, _bytes(2, f"{name}.{axis}".encode())) for axis in range(2))
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
