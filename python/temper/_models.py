# SPDX-License-Identifier: Apache-2.0
"""Models: opened from files, bytes, protobuf messages and text."""

from __future__ import annotations

import os
from typing import Any, Union

from temper import _temper
from temper._errors import ArgumentTypeError
from temper._files import existing

#: What stands for a model in arguments: a Model, a path, bytes of a file, an onnx.ModelProto.
ModelSource = Union[_temper.Model, str, "os.PathLike[str]", bytes, Any]


def open(source: ModelSource) -> _temper.Model:
    """Opens an ONNX model.

    ``source`` is a path, the bytes of a model, an ``onnx.ModelProto`` (which stays as it is), or a
    Model, which is returned. Weights beside the file are read with it.

    Raises:
        FileNotFoundError: if there is no such file.
        InvalidInputError: if it is not a model, or its nodes contradict their operators.

    >>> import temper
    >>> model = temper.open(mlp_path)
    >>> model.inputs
    [<Value 'x' float32[batch, 4]>]
    >>> [parameter.name for parameter in model.parameters if parameter.trains]
    ['fc1.weight', 'fc1.bias', 'fc2.weight', 'fc2.bias']
    """
    if isinstance(source, _temper.Model):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _temper.open_model(existing(source, "model"))
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _temper.parse_model(bytes(source))
    serialize = getattr(source, "SerializeToString", None)
    if serialize is None:
        raise ArgumentTypeError(
            f"Expected a model; found {type(source).__name__}.",
            "Pass a path, the bytes of a model, or an onnx.ModelProto.",
        )
    return _temper.parse_model(serialize())


def from_text(text: str) -> _temper.Model:
    """A model from ONNX's textual format, whose description is docs/Syntax.md of ONNX.

    Raises InvalidInputError naming line and column.

    >>> import temper
    >>> temper.from_text("(float[N, 2] x) => (y) { y = Relu(x) }").outputs
    [<Value 'y' float32[N, 2]>]
    """
    return _temper.parse_text(text)
