# SPDX-License-Identifier: Apache-2.0
"""Models with more data than protobuf can serialize, which is 2 GiB."""

from __future__ import annotations

import math
import os
import tempfile
from typing import IO, Any

import onnx
from onnx import TensorProto, numpy_helper

from temper import _temper

#: Bytes of tensors; the rest of a model has to fit into 2 GiB beside them.
LARGEST = 2_000_000_000

#: Bytes of a tensor that stays in the model: types of other values may depend on its numbers.
_SMALL = 1024

_ALIGNMENT = 64

_WIDTHS: dict[int, int] = {
    TensorProto.FLOAT: 4,
    TensorProto.INT32: 4,
    TensorProto.FLOAT16: 2,
    TensorProto.BFLOAT16: 2,
    TensorProto.INT8: 1,
    TensorProto.UINT8: 1,
    TensorProto.BOOL: 1,
}


def is_large(model: onnx.ModelProto) -> bool:
    """Whether the model can't be serialized as a whole."""
    return sum(map(_bytes_of, model.graph.initializer)) > LARGEST


def light(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model; if it is large, a copy whose tensors are inputs, for onnx's own functions."""
    if not is_large(model):
        return model
    copied = _without_initializers(model)
    inputs = {value.name for value in model.graph.input}
    for tensor in model.graph.initializer:
        if _bytes_of(tensor) <= _SMALL:
            copied.graph.initializer.append(tensor)
        elif tensor.name not in inputs:
            copied.graph.input.append(
                onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            )
    return copied


def parsed(model: onnx.ModelProto) -> _temper.Model:
    """The engine's model. A large one is passed through a temporary folder."""
    if not is_large(model):
        return _temper.parse_model(model.SerializeToString())
    with tempfile.TemporaryDirectory(prefix="temper-") as folder:
        path = os.path.join(folder, "model.onnx")
        with open(os.path.join(folder, "weights"), "wb") as weights:
            described = _with_external_data(model, weights)
        with open(path, "wb") as file:
            file.write(described.SerializeToString())
        return _temper.open_model(path)


def _with_external_data(model: onnx.ModelProto, weights: IO[bytes]) -> onnx.ModelProto:
    copied = _without_initializers(model)
    for tensor in model.graph.initializer:
        is_small = _bytes_of(tensor) <= _SMALL
        copied.graph.initializer.append(tensor if is_small else _written(tensor, weights))
    return copied


def _written(tensor: TensorProto, weights: IO[bytes]) -> TensorProto:
    """Writes the data; returns the tensor that refers to it."""
    data = tensor.raw_data or numpy_helper.to_array(tensor).tobytes()
    weights.write(b"\0" * (-weights.tell() % _ALIGNMENT))
    place = {"location": "weights", "offset": weights.tell(), "length": len(data)}
    weights.write(data)
    entries = [
        onnx.StringStringEntryProto(key=key, value=str(value)) for key, value in place.items()
    ]
    return TensorProto(
        name=tensor.name,
        data_type=tensor.data_type,
        dims=tensor.dims,
        data_location=TensorProto.EXTERNAL,
        external_data=entries,
    )


def _bytes_of(tensor: TensorProto) -> int:
    """Does not look at the data, which protobuf would copy."""
    width = _WIDTHS.get(tensor.data_type, 8)
    return int(math.prod(tensor.dims)) * width


def _without_initializers(model: onnx.ModelProto) -> onnx.ModelProto:
    copied: onnx.ModelProto = _without(model, "graph")
    copied.graph.CopyFrom(_without(model.graph, "initializer"))
    return copied


def _without(message: Any, left_out: str) -> Any:
    """A copy of a message without one of its fields."""
    copied = type(message)()
    for field, value in message.ListFields():
        if field.name == left_out:
            continue
        if hasattr(value, "extend"):
            getattr(copied, field.name).extend(value)
        elif hasattr(value, "CopyFrom"):
            getattr(copied, field.name).CopyFrom(value)
        else:
            setattr(copied, field.name, value)
    return copied
