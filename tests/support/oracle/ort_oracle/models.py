# SPDX-License-Identifier: Apache-2.0
"""What an ONNX model says of itself, and the one edit that the scripts make: more graph outputs."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

import onnx
from google.protobuf.message import DecodeError

from .cli import UsageError


@dataclasses.dataclass
class ValueInfo:
    """A graph input or output. `type` and `shape` are None where the model does not tell them."""

    name: str
    kind: str = "tensor"
    type: str | None = None
    shape: list[int | str] | None = None

    def to_json(self) -> dict:
        if self.kind != "tensor":
            return {"name": self.name, "kind": self.kind}
        return {
            key: value
            for key, value in (("name", self.name), ("type", self.type), ("shape", self.shape))
            if value is not None
        }


Infos = dict[str, ValueInfo]


def type_name(number: int) -> str:
    """The name of an ONNX element type, as NumPy has it: 1 is float32."""
    if number not in onnx.TensorProto.DataType.values():
        return f"type {number}"
    name = onnx.TensorProto.DataType.Name(number).lower()
    return {"float": "float32", "double": "float64"}.get(name, name)


def type_number(name: str) -> int:
    """The reverse of type_name(); 0 for an unknown name."""
    return next(
        (number for number in onnx.TensorProto.DataType.values() if type_name(number) == name), 0
    )


def _info_of(value: onnx.ValueInfoProto) -> ValueInfo:
    kind = value.type.WhichOneof("value")
    if kind is None:
        return ValueInfo(value.name)
    if kind != "tensor_type":
        known = {"sequence_type": "sequence", "map_type": "map", "optional_type": "optional"}
        return ValueInfo(value.name, known.get(kind, "other"))
    tensor = value.type.tensor_type
    shape = None
    if tensor.HasField("shape"):
        shape = [
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"
            for dim in tensor.shape.dim
        ]
    return ValueInfo(
        value.name, type=type_name(tensor.elem_type) if tensor.elem_type else None, shape=shape
    )


class Model:
    """An ONNX model: its message, and its inputs (without the initializers) and outputs by name."""

    def __init__(self, proto: onnx.ModelProto):
        self.proto = proto
        initializers = {tensor.name for tensor in proto.graph.initializer}
        self.inputs = {
            value.name: _info_of(value)
            for value in proto.graph.input
            if value.name not in initializers
        }
        self.outputs = {value.name: _info_of(value) for value in proto.graph.output}

    @property
    def nodes(self) -> Sequence[onnx.NodeProto]:
        return self.proto.graph.node

    def opsets(self) -> dict[str, int]:
        return {opset.domain or "ai.onnx": opset.version for opset in self.proto.opset_import}

    def producer(self) -> str:
        return f"{self.proto.producer_name} {self.proto.producer_version}".strip()

    def operators(self) -> dict[str, int]:
        """The number of nodes by operator; a domain other than ONNX's own stands before the
        name."""
        count = collections.Counter(
            node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"
            for node in self.nodes
        )
        return dict(sorted(count.items()))


def is_ort_format(path: str) -> bool:
    """Raises: UsageError where the file can't be read."""
    try:
        with open(path, "rb") as file:
            return file.read(8)[4:] == b"ORTM"
    except OSError as error:
        raise UsageError(str(error)) from error


def read_model(path: str, with_external_data: bool = False) -> Model | None:
    """Returns: the model, or None for what is no ONNX model (one in ORT format, for instance).

    Raises: UsageError where the file can't be read.
    """
    if is_ort_format(path):
        return None
    try:
        proto = onnx.load(path, load_external_data=with_external_data)
    except DecodeError:
        return None
    except (OSError, onnx.checker.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from error
    return Model(proto) if proto.HasField("graph") else None


def infos_of(model: Model | None) -> Infos:
    """The inputs of a model, none where it is in ORT format."""
    return model.inputs if model else {}


def bytes_with_outputs(model: Model, outputs: dict[str, int]) -> bytes:
    """The model with further graph outputs: tensors of its graph, with their element types (0:
    unknown)."""
    proto = onnx.ModelProto()
    proto.CopyFrom(model.proto)
    for name, element_type in outputs.items():
        value = proto.graph.output.add(name=name)
        if element_type:
            value.type.tensor_type.elem_type = element_type
    return proto.SerializeToString()
