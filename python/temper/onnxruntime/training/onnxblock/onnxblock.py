# SPDX-License-Identifier: Apache-2.0
"""Blocks that make whole models."""

from __future__ import annotations

import copy
from typing import Any

import onnx

from temper import _temper
from temper._errors import InvalidInputError, NotFoundError, StateError
from temper._setting_text import json_text
from temper.onnxruntime.training.onnxblock import model_accessor as accessor
from temper.onnxruntime.training.onnxblock._large import parsed
from temper.onnxruntime.training.onnxblock.blocks import Block


def names_of(outputs: Any) -> list[str]:
    """What a build() returned, as a list of names."""
    names: list[str] = [outputs] if isinstance(outputs, str) else list(outputs or ())
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(
            f"build() returned {outputs!r}; expected the name of an output, or several."
        )
    return names


def set_outputs(model: onnx.ModelProto, names: list[str]) -> None:
    """Makes these values the outputs of the model, and types its values."""
    infos = []
    for name in names:
        info = accessor.value_info(model, name)
        if info is None and not _has_value(model, name):
            raise NotFoundError(
                f"The provided name {name} is not a graph value info or a graph output."
            )
        infos.append(info if info is not None else onnx.ValueInfoProto(name=name))
    infos = [copy.deepcopy(info) for info in infos]
    del model.graph.output[:]
    model.graph.output.extend(infos)


def _has_value(model: onnx.ModelProto, name: str) -> bool:
    graph = model.graph
    return any(name in node.output for node in graph.node) or any(
        name == tensor.name for tensor in graph.initializer
    )


class ForwardBlock(Block):
    """What build() returns become the outputs of the model.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> class Shares(onnxblock.ForwardBlock):
    ...     def build(self, name):
    ...         return onnxblock.blocks.Sigmoid()(name)
    >>> block = Shares()
    >>> with onnxblock.base(onnx.load(str(mlp_path))):
    ...     name = block("logits")
    >>> [output.name for output in block.to_model_proto().graph.output] == [name]
    True
    """

    _model: onnx.ModelProto | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        output = super().__call__(*args, **kwargs)
        opened = accessor.open_accessor()
        opened.model.CopyFrom(accessor.inferred(opened.model))
        set_outputs(opened.model, names_of(output))
        self._model = copy.deepcopy(opened.model)
        return output

    def to_model_proto(self) -> onnx.ModelProto:
        """A copy of the model."""
        if self._model is None:
            raise StateError(
                "Please build the forward models first before trying to retrieve it.",
                "Call the block with the names of its inputs.",
            )
        return copy.deepcopy(self._model)


class TrainingBlock(Block):
    """build() returns the loss, optionally followed by further outputs of both models.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> class Classification(onnxblock.TrainingBlock):
    ...     def build(self, scores):
    ...         return onnxblock.loss.CrossEntropyLoss()(scores), scores
    >>> block = Classification()
    >>> block.requires_grad("fc2.weight")
    >>> block.requires_grad("fc2.bias", False)
    >>> with onnxblock.base(onnx.load(str(mlp_path))):
    ...     loss, scores = block("logits")
    ...     training_model, eval_model = block.to_model_proto()
    >>> trainable, frozen = block.parameters()
    >>> [tensor.name for tensor in trainable], [tensor.name for tensor in frozen]
    (['fc2.weight'], ['fc2.bias'])
    >>> [value.name for value in eval_model.graph.input][:2]
    ['x', 'labels']
    """

    _models: tuple[onnx.ModelProto, onnx.ModelProto] | None = None
    _wanted: dict[str, bool] | None = None

    def _choices(self) -> dict[str, bool]:
        # subclasses need not call __init__()
        if self._wanted is None:
            self._wanted = {}
        return self._wanted

    def requires_grad(self, name: str, value: bool = True) -> None:
        """An initializer or graph input gets a gradient; with False it is frozen."""
        self._choices()[name] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        output = super().__call__(*args, **kwargs)
        opened = accessor.open_accessor()
        set_outputs(opened.model, names_of(output))
        made = training_artifacts(
            opened.model,
            [name for name, trains in self._choices().items() if trains],
            [name for name, trains in self._choices().items() if not trains],
        )
        self._parameters = self._split(opened.model)
        self._models = (proto_of(made.training_model), proto_of(made.eval_model))
        opened.model.CopyFrom(self._models[0])
        return output

    def _split(self, model: onnx.ModelProto) -> tuple[list[Any], list[Any]]:
        trainable: list[Any] = []
        frozen: list[Any] = []
        for tensor in model.graph.initializer:
            wanted = self._choices().get(tensor.name)
            if wanted is not None:
                (trainable if wanted else frozen).append(copy.deepcopy(tensor))
        return trainable, frozen

    def parameters(self) -> tuple[list[onnx.TensorProto], list[onnx.TensorProto]]:
        """Trainable and frozen parameters with their data, in the order of initializers."""
        if self._models is None:
            raise StateError(
                "Please build the training model first before trying to retrieve the parameters.",
                "Call the block with the names of its inputs.",
            )
        return self._parameters

    def to_model_proto(self) -> tuple[onnx.ModelProto, onnx.ModelProto]:
        """Training and eval model."""
        if self._models is None:
            raise StateError(
                "Please build the training and eval models first before trying to retrieve them.",
                "Call the block with the names of its inputs.",
            )
        return self._models


def training_artifacts(
    model: onnx.ModelProto, trainable: list[str], frozen: list[str], **options: Any
) -> _temper.Artifacts:
    """Artifacts of a model whose first output is the loss; other initializers stay in it."""
    known = {tensor.name for tensor in model.graph.initializer}
    return _temper.make_block_artifacts(
        parsed(model),
        trainable,
        [name for name in frozen if name in known],
        json_text({"artifacts": options}),
    )


def proto_of(model: _temper.Model | None) -> onnx.ModelProto:
    """The model as a message."""
    assert model is not None
    return onnx.load_model_from_string(model.to_bytes())
