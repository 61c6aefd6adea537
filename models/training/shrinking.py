"""Stores an fp32 ONNX model small: int8 weights with one scale per output channel, expanded again when it is loaded.

Only the file shrinks (to a quarter): with the session entry `session.disable_quant_qdq=1` onnxruntime folds the
DequantizeLinear nodes into fp32 weights once, at load, so that speed and fused nodes stay those of fp32. Clipping a
channel where its squared error is smallest, instead of at its largest value, was tried and gained nothing. Knows
nothing about what the model computes.
"""

# mypy: disable-error-code="import-not-found,unused-ignore"
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

SMALLEST = 16_384
"""Weights with fewer elements stay fp32: they save nothing and biases are delicate."""


def quantize(weight: NDArray[np.float32], axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric int8 with one scale per index of `axis`.

    Args:
        weight: a matrix, fp32.
        axis: 1 for (inputs, outputs) weights, 0 for embedding tables, where each row is its own channel.

    Returns:
        The int8 matrix and the scales, shape (weight.shape[axis],): weight ≈ int8 * scale.
    """
    largest = np.abs(weight).max(axis=1 - axis, keepdims=True)
    scale = (np.maximum(largest, np.finfo(np.float32).tiny * 127) / 127).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale.reshape(-1)


def shrink(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replace every large weight matrix by int8 + scales + a DequantizeLinear in front of its users (in place).

    Args:
        model: opset 13 or later, fp32 weights as initializers.

    Returns:
        The same model object.
    """
    graph = model.graph
    lookups = [node for node in graph.node if node.op_type in ("Gather", "EmbedLayerNormalization")]
    tables = {name for node in lookups for name in node.input}
    for weight in [w for w in graph.initializer if _is_large_matrix(w)]:
        axis = 0 if weight.name in tables else 1
        quantized, scale = quantize(numpy_helper.to_array(weight), axis)
        names = [f"{weight.name}.int8", f"{weight.name}.scale"]
        graph.initializer.remove(weight)
        graph.initializer.extend(
            [numpy_helper.from_array(a, n) for a, n in zip((quantized, scale), names, strict=True)]
        )
        graph.node.insert(0, helper.make_node("DequantizeLinear", names, [weight.name], axis=axis))
    onnx.checker.check_model(model)
    return model


def _is_large_matrix(weight: onnx.TensorProto) -> bool:
    return (
        weight.data_type == onnx.TensorProto.FLOAT and len(weight.dims) == 2 and int(np.prod(weight.dims)) >= SMALLEST
    )
