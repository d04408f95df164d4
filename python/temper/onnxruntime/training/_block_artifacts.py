# SPDX-License-Identifier: Apache-2.0
"""Artifacts whose loss or optimizer is a block."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import onnx

from temper import _temper
from temper._errors import ArgumentTypeError, Error
from temper.onnxruntime.training.onnxblock import TrainingBlock, base, blocks, empty_base
from temper.onnxruntime.training.onnxblock import loss as losses
from temper.onnxruntime.training.onnxblock import model_accessor as accessor
from temper.onnxruntime.training.onnxblock import optim
from temper.onnxruntime.training.onnxblock.onnxblock import (
    names_of,
    set_outputs,
    training_artifacts,
)

_LOSSES = {
    "mse": losses.MSELoss,
    "cross-entropy": losses.CrossEntropyLoss,
    "bce-with-logits": losses.BCEWithLogitsLoss,
    "l1": losses.L1Loss,
    None: blocks.PassThrough,
}
_OPTIMIZERS = {"adamw": optim.AdamW, "sgd": optim.SGD}

#: Trainable and frozen ones, as TrainingBlock.parameters() returns them.
Parameters = tuple[list[onnx.TensorProto], list[onnx.TensorProto]]


def block_artifacts(
    model: Any,
    forward: _temper.Model,
    trained: Sequence[str],
    frozen: Sequence[str],
    loss: Any,
    optimizer: Any,
    extra: Sequence[str],
    read: Sequence[str],
    **options: Any,
) -> _temper.Artifacts:
    """The artifacts. ``loss`` and ``optimizer`` are blocks, or Temper's names of them."""
    loss = loss if isinstance(loss, blocks.Block) else _LOSSES[loss]()
    if isinstance(loss, TrainingBlock):
        raise Error(
            "A TrainingBlock can't be the loss: it makes its own training model.",
            "Derive the loss from Block or ForwardBlock.",
        )
    trained, frozen = _parameters(forward, trained, frozen)
    with _base(model) as opened:
        values = list(read) or [output.name for output in opened.model.graph.output]
        outputs = names_of(loss(*values))
        set_outputs(opened.model, outputs + [name for name in extra if name not in outputs])
        made = training_artifacts(opened.model, trained, frozen, **options)
        parameters = _tensors(opened.model, trained), _tensors(opened.model, frozen)
    if optimizer is None:
        return made
    return _temper.with_optimizer(made, _optimizer_model(optimizer, made, parameters))


def _base(model: Any) -> AbstractContextManager[accessor.ModelAccessor]:
    """A message is copied; one from a file belongs to nobody else."""
    if isinstance(model, onnx.ModelProto):
        return base(model)
    path = os.fspath(model)  # onnx 1.12 finds data beside a model by text only
    return accessor.opened(accessor.ModelAccessor(onnx.load(path), path))


def _tensors(model: onnx.ModelProto, names: list[str]) -> list[onnx.TensorProto]:
    """In the order of the model."""
    return [tensor for tensor in model.graph.initializer if tensor.name in names]


def _parameters(
    forward: _temper.Model, trained: Sequence[str], frozen: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Without names all weights train: one that can't is an error, as with a named loss. Running
    statistics are always parameters, so that training updates them; so are all others if only
    trainable ones are named."""
    known = {parameter.name: parameter for parameter in forward.parameters}
    if not trained:
        trained = [
            name
            for name, info in known.items()
            if info.kind == "trainable" and name not in frozen
        ]
    rest = [name for name in known if name not in trained]
    kinds = ["batch-norm statistic"] if frozen else ["batch-norm statistic", "trainable"]
    return list(trained), [
        name for name in rest if name in frozen or known[name].kind in kinds
    ]


def _optimizer_model(
    optimizer: Any, made: _temper.Artifacts, parameters: Parameters
) -> _temper.Model:
    optimizer = optimizer if isinstance(optimizer, blocks.Block) else _OPTIMIZERS[optimizer]()
    if not hasattr(optimizer, "to_model_proto"):
        raise ArgumentTypeError(
            f"The optimizer {type(optimizer).__name__} makes no model.",
            "Derive it from onnxblock.ForwardBlock.",
        )
    # the training model keeps a newer opset if it can't be converted
    with empty_base(min(made.training_model.opset, accessor.NEWEST_OPSET)):
        optimizer(parameters)
        return _temper.parse_model(optimizer.to_model_proto().SerializeToString())
