# SPDX-License-Identifier: Apache-2.0
"""The model that blocks build on: at most one is open in a process."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Iterable, Iterator

import onnx

from temper._errors import InvalidInputError, StateError
from temper._files import existing, path_of
from temper.onnxruntime.training.onnxblock._large import is_large, light

#: What the runtime and ONNX Runtime 1.19 both read, if the installed onnx is newer.
NEWEST_OPSET = 21
_NEWEST_IR = 10


class ModelAccessor:
    """The open model. ``model`` is its current state."""

    def __init__(self, model: onnx.ModelProto, path: str | None = None) -> None:
        self.model = model
        self._path = path
        self._names = 0
        self.depth = 0  # of the blocks that are being built

    @property
    def path(self) -> str:
        """Where the model came from."""
        if self._path is None:
            raise StateError("The path of the model is not known.", "Pass it to onnxblock.base().")
        return self._path

    @property
    def has_path(self) -> bool:
        return self._path is not None

    def number(self) -> int:
        """Another one with each call, so that names differ; each model starts at 1."""
        self._names += 1
        return self._names


_open: ModelAccessor | None = None
_library: str | os.PathLike[str] | None = None


def open_accessor() -> ModelAccessor:
    """Raises StateError if no model is open."""
    if _open is None:
        raise StateError(
            "A block was called, but no model is open.",
            "Call it inside of 'with onnxblock.base(model):' or 'with onnxblock.empty_base():'.",
        )
    return _open


@contextlib.contextmanager
def opened(accessor: ModelAccessor) -> Iterator[ModelAccessor]:
    """Blocks build on this model, not on a copy of it."""
    global _open
    if _open is not None:
        raise StateError("Base onnx model already exists.", "Leave its 'with' block first.")
    _open = accessor
    try:
        yield accessor
    finally:
        _open = None


@contextlib.contextmanager
def base(
    model: onnx.ModelProto, model_path: str | os.PathLike[str] | None = None
) -> Iterator[ModelAccessor]:
    """Opens a copy of the model for blocks to build on.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     name = onnxblock.blocks.Neg()("logits")
    ...     len(opened.model.graph.node)
    4
    """
    if model is None:
        raise InvalidInputError("The base model is None.", "Pass an onnx.ModelProto.")
    path = None if model_path is None else path_of(model_path, "model_path")
    with opened(ModelAccessor(copy.deepcopy(model), path)) as accessor:
        yield accessor


@contextlib.contextmanager
def empty_base(opset_version: int | None = None) -> Iterator[ModelAccessor]:
    """Opens a new model, for example to build an optimizer in.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> optimizer = onnxblock.optim.AdamW(weight_decay=0.01)
    >>> with onnxblock.empty_base():
    ...     flag = optimizer((onnx.load(str(mlp_path)).graph.initializer, []))
    >>> [node.op_type for node in optimizer.to_model_proto().graph.node]
    ['AdamWOptimizer']
    """
    opset = opset_version or min(onnx.defs.onnx_opset_version(), NEWEST_OPSET)
    model = onnx.helper.make_model(
        onnx.GraphProto(name="graph"),
        producer_name="orttraining",
        opset_imports=[
            onnx.helper.make_opsetid("com.microsoft", 1),
            onnx.helper.make_opsetid("", opset),
        ],
    )
    model.ir_version = min(model.ir_version, _NEWEST_IR)
    with opened(ModelAccessor(model)) as accessor:
        yield accessor


@contextlib.contextmanager
def custom_op_library(
    custom_op_library_path: str | os.PathLike[str],
) -> Iterator[str | os.PathLike[str]]:
    """Yields the path. To be trained, operators of such libraries need a plugin of Temper.

    >>> from temper.onnxruntime.training import onnxblock
    >>> (folder / "operators.so").touch()
    >>> with onnxblock.custom_op_library(folder / "operators.so") as library:
    ...     library.name
    'operators.so'
    """
    global _library
    if _library is not None:
        raise StateError("Custom op library already exists.", "Leave its 'with' block first.")
    existing(custom_op_library_path, "custom operator library")
    _library = custom_op_library_path
    try:
        yield _library
    finally:
        _library = None


def value_info(model: onnx.ModelProto, name: str) -> onnx.ValueInfoProto | None:
    """What the graph says about a value, for any value whose type follows from the inputs."""
    found = _declared(model, name)
    if found is None or not found.type.WhichOneof("value"):
        found = _declared(_typed(light(model)), name) or found
    return found


def inferred(model: onnx.ModelProto) -> onnx.ModelProto:
    """With the types that follow; values of other domains stay without."""
    if not is_large(model):
        return _typed(model)
    types = _typed(light(model)).graph
    result = copy.deepcopy(model)
    for values, found in (
        (result.graph.value_info, types.value_info),
        (result.graph.output, types.output),
    ):
        del values[:]
        values.extend(found)
    return result


def _typed(model: onnx.ModelProto) -> onnx.ModelProto:
    result: onnx.ModelProto = onnx.shape_inference.infer_shapes(model, data_prop=True)
    return result


def _declared(model: onnx.ModelProto, name: str) -> onnx.ValueInfoProto | None:
    graph = model.graph
    lists: list[Iterable[onnx.ValueInfoProto]] = [graph.input, graph.output, graph.value_info]
    for values in lists:
        for value in values:
            if value.name == name:
                return value
    return None
