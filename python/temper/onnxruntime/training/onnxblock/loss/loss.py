# SPDX-License-Identifier: Apache-2.0
"""Losses as blocks."""

from __future__ import annotations

import copy
from typing import Any

import onnx

from temper._errors import Error, NotFoundError
from temper.onnxruntime.training.onnxblock import blocks
from temper.onnxruntime.training.onnxblock import model_accessor as accessor


def _require_reduction(reduction: str) -> None:
    if reduction not in ("mean", "sum", "none"):
        raise Error(f"Reduction {reduction} not supported.", "It is 'mean', 'sum' or 'none'.")


class _Loss(blocks.OneOutput):
    """Compares a value with a target."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        _require_reduction(reduction)
        self._reduction = reduction

    def _reduced(self, name: str) -> str:
        if self._reduction == "none":
            return name
        reduce = blocks.ReduceMean if self._reduction == "mean" else blocks.ReduceSum
        result: str = reduce(keepdims=False)(name)
        return result

    def _prediction(self, name: str) -> onnx.ValueInfoProto:
        info = accessor.value_info(self.base, name)
        if info is None:
            raise NotFoundError(f"{name} is not a value of the model.")
        return info

    def _target(self, name: str, info: onnx.ValueInfoProto) -> str:
        """A new graph input, unless a node already uses or makes the value."""
        used = any(name in (*node.input, *node.output) for node in self.base.graph.node)
        if not used:
            target = copy.deepcopy(info)
            target.name = name
            self.base.graph.input.append(target)
        return name


class MSELoss(_Loss):
    """(x - target)^2

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     loss = onnxblock.loss.MSELoss(reduction="sum")("logits")
    ...     [value.name for value in opened.model.graph.input]
    ['x', 'target']
    """

    def build(self, loss_input_name: str, target_name: str = "target") -> str:
        target = self._target(target_name, self._prediction(loss_input_name))
        return self._reduced(blocks.Pow(2.0)(blocks.Sub()(loss_input_name, target)))


class L1Loss(_Loss):
    """|x - target|

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     loss = onnxblock.loss.L1Loss()("logits", target_name="goal")
    ...     [value.name for value in opened.model.graph.input]
    ['x', 'goal']
    """

    def build(self, loss_input_name: str, target_name: str = "target") -> str:
        target = self._target(target_name, self._prediction(loss_input_name))
        return self._reduced(blocks.Abs()(blocks.Sub()(loss_input_name, target)))


class CrossEntropyLoss(_Loss):
    """-log softmax(scores)[label], for scores [N, classes, ...] and labels [N, ...] (int64).

    ``weight`` has a factor for each class, an array of shape [classes].

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     loss = onnxblock.loss.CrossEntropyLoss(ignore_index=-1)("logits")
    ...     [value.name for value in opened.model.graph.input]
    ['x', 'labels']
    """

    def __init__(
        self, weight: Any = None, reduction: str = "mean", ignore_index: int | None = None
    ) -> None:
        super().__init__(reduction)
        self._weight = weight
        self._ignored = ignore_index

    def build(self, scores_input_name: str, labels_name: str = "labels") -> str:
        labels = copy.deepcopy(self._prediction(scores_input_name))
        labels.type.tensor_type.elem_type = onnx.TensorProto.INT64
        if len(labels.type.tensor_type.shape.dim) > 1:
            del labels.type.tensor_type.shape.dim[1]
        inputs = [scores_input_name, self._target(labels_name, labels)]
        if self._weight is not None:
            inputs.append(self._add_initializer("celoss.weight", self._weight))
        return self._add_loss(inputs)

    def _add_loss(self, inputs: list[str]) -> str:
        opened = accessor.open_accessor()
        loss = f"onnx::loss::{opened.number()}"
        attributes: dict[str, Any] = {"reduction": self._reduction}
        if self._ignored is not None:
            attributes["ignore_index"] = self._ignored
        node = onnx.helper.make_node(
            "SoftmaxCrossEntropyLoss",
            inputs,
            [loss, f"onnx::log_prob::{opened.number()}"],
            f"onnx::SoftmaxCrossEntropyLoss::{opened.number()}",
            **attributes,
        )
        self.base.graph.node.append(node)
        return loss


class BCEWithLogitsLoss(_Loss):
    """-(p target log s(x) + (1 - target) log(1 - s(x))), s the sigmoid, p = ``pos_weight``.

    ``weight`` is multiplied with each element's loss. Computed without overflow for any x:
    log s(x) = min(x, 0) - log(1 + exp(-|x|)), and log(1 - s(x)) = log s(x) - x.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     loss = onnxblock.loss.BCEWithLogitsLoss(pos_weight=[2.0])("logits")
    ...     [value.name for value in opened.model.graph.input]
    ['x', 'target']
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self._weight = weight
        self._pos_weight = pos_weight

    def build(self, loss_input_name: str, target_name: str = "target") -> str:
        target = self._target(target_name, self._prediction(loss_input_name))
        ones = self._add_initializer("bceloss.ones", [1.0])
        log_yes = self._log_sigmoid(loss_input_name, ones)
        log_no = blocks.Sub()(log_yes, loss_input_name)
        yes = blocks.Mul()(log_yes, target)
        if self._pos_weight is not None:
            weight = self._add_initializer("bceloss.pos_weight", self._pos_weight)
            yes = blocks.Mul()(yes, weight)
        no = blocks.Mul()(log_no, blocks.Sub()(ones, target))
        loss = blocks.Neg()(blocks.Add()(yes, no))
        if self._weight is not None:
            loss = blocks.Mul()(loss, self._add_initializer("bceloss.weight", self._weight))
        return self._reduced(loss)

    def _log_sigmoid(self, name: str, ones: str) -> str:
        negative = blocks.Clip(clip_max=0.0)(name)
        small = self._add_node("Exp", [blocks.Neg()(blocks.Abs()(name))])
        result: str = blocks.Sub()(negative, blocks.Log()(blocks.Add()(ones, small)))
        return result
