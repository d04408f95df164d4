# SPDX-License-Identifier: Apache-2.0
"""Checkpoints from and to messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy
import onnx
from onnx import numpy_helper

from temper import _temper
from temper._checkpoint import Checkpoint
from temper._errors import InvalidInputError, StateError
from temper._files import path_of


def save_checkpoint(
    parameters: tuple[Sequence[onnx.TensorProto], Sequence[onnx.TensorProto]],
    path_to_checkpoint: str | os.PathLike[str],
    nominal_checkpoint: bool = False,
) -> None:
    """Writes trainable and frozen parameters; a nominal checkpoint has their names only.

    >>> import onnx
    >>> from temper.onnxruntime.training import api, onnxblock
    >>> tensors = onnx.load(str(mlp_path)).graph.initializer
    >>> onnxblock.save_checkpoint((tensors[2:], tensors[:2]), folder / "checkpoint")
    >>> state = api.CheckpointState.load_checkpoint(folder / "checkpoint")
    >>> [name for name, parameter in state.parameters if parameter.requires_grad]
    ['fc2.bias', 'fc2.weight']
    """
    if parameters is None:
        raise InvalidInputError(
            "The parameters are None.", "Pass what TrainingBlock.parameters() returns."
        )
    trainable, frozen = (
        {tensor.name: numpy_helper.to_array(tensor) for tensor in tensors}
        for tensors in parameters
    )
    if nominal_checkpoint:
        trainable, frozen = _nominal(trainable), _nominal(frozen)
    path = path_of(path_to_checkpoint, "checkpoint")
    _temper.write_checkpoint(path, trainable, frozen, nominal_checkpoint)


def _nominal(arrays: dict[str, Any]) -> dict[str, Any]:
    """Names and element types."""
    return {name: numpy.zeros((), array.dtype) for name, array in arrays.items()}


def load_checkpoint_to_model(
    path_to_checkpoint: str | os.PathLike[str], model: onnx.ModelProto
) -> None:
    """Replaces the data of the model's initializers by that of parameters of the same names.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> model = onnx.load(str(mlp_path))
    >>> onnxblock.load_checkpoint_to_model(art / "checkpoint", model)
    """
    checkpoint = Checkpoint.load(path_to_checkpoint)
    if checkpoint.is_nominal:
        raise StateError(
            "A nominal checkpoint has no parameters to load into a model.",
            "Load the checkpoint that was made with it.",
        )
    for tensor in model.graph.initializer:
        if tensor.name in checkpoint:
            array = checkpoint[tensor.name].data
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
