# SPDX-License-Identifier: Apache-2.0
"""Optimizers as blocks: they make optimizer models."""

from __future__ import annotations

from typing import Any

import onnx

from temper._errors import InvalidInputError
from temper.onnxruntime.training.onnxblock import model_accessor as accessor
from temper.onnxruntime.training.onnxblock.blocks import Block, OneOutput
from temper.onnxruntime.training.onnxblock.onnxblock import ForwardBlock

_DOMAIN = "com.microsoft"


class ClipGradNorm(OneOutput):
    """Scales all gradients so that their norm is at most ``max_norm``.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> optimizer = onnxblock.optim.SGD(clip_grad=onnxblock.optim.ClipGradNorm(1.0))
    >>> with onnxblock.empty_base():
    ...     flag = optimizer((onnx.load(str(mlp_path)).graph.initializer, []))
    >>> [node.op_type for node in optimizer.to_model_proto().graph.node]
    ['InplaceClipGradNorm', 'SGDOptimizerV2']
    """

    def __init__(self, max_norm: float) -> None:
        super().__init__()
        self.max_norm = max_norm

    def build(self, gradients_name: str) -> str:
        output = f"onnx::clip_grad_norm_output::{accessor.open_accessor().number()}"
        return self._add_node(
            "InplaceClipGradNorm", [gradients_name], output, _DOMAIN, max_norm=float(self.max_norm)
        )


class _Optimizer(ForwardBlock):
    """Updates sequences of parameters from sequences of gradients."""

    _sequences: tuple[str, ...] = ()

    def __init__(self, clip_grad: Block | None = None) -> None:
        super().__init__()
        self._clip_grad = clip_grad

    def build(self, parameters: tuple[list[onnx.TensorProto], list[onnx.TensorProto]]) -> str:
        trainable = parameters[0]
        if not trainable:
            raise InvalidInputError("No parameter trains, so there is nothing to optimize.")
        self._add_inputs(trainable[0].data_type)
        gradients = "gradients" if self._clip_grad is None else self._clip_grad("gradients")
        flag = self._add_update(gradients)
        self.base.graph.value_info.append(
            onnx.helper.make_tensor_value_info(flag, onnx.TensorProto.BOOL, [])
        )
        return flag

    def _add_inputs(self, element_type: int) -> None:
        inputs = [
            onnx.helper.make_tensor_value_info("learning_rate", onnx.TensorProto.FLOAT, [1]),
            onnx.helper.make_tensor_value_info("step", onnx.TensorProto.INT64, [1]),
        ]
        for name in self._sequences:
            inputs.append(
                onnx.helper.make_tensor_sequence_value_info(name, element_type, None)
            )
        self.base.graph.input.extend(inputs)

    def _add_update(self, gradients: str) -> str:
        raise NotImplementedError


class SGDOptimizer(OneOutput):
    """The node of SGD: w - learning_rate * gradient"""

    def build(self, learning_rate_name: str, params_name: str, gradients_name: str) -> str:
        output = f"onnx::update_completed::{accessor.open_accessor().number()}"
        return self._add_node(
            "SGDOptimizerV2", [learning_rate_name, params_name, gradients_name], output, _DOMAIN
        )


class AdamWOptimizer(OneOutput):
    """The node of AdamW, with the weight decay after the step."""

    def __init__(
        self,
        bias_correction: bool = True,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__()
        self._attributes: dict[str, Any] = {
            "alpha": float(betas[0]),
            "beta": float(betas[1]),
            "epsilon": float(eps),
            "weight_decay": float(weight_decay),
            "correct_bias": int(bias_correction),
            "adam_mode": 1,
        }

    def build(
        self,
        learning_rate_name: str,
        step_name: str,
        parameter_sequence_name: str,
        gradient_sequence_name: str,
        first_order_moment_sequence_name: str,
        second_order_moment_sequence_name: str,
    ) -> str:
        inputs = [
            learning_rate_name,
            step_name,
            parameter_sequence_name,
            gradient_sequence_name,
            first_order_moment_sequence_name,
            second_order_moment_sequence_name,
        ]
        output = f"onnx::adamw.updated_flag::{accessor.open_accessor().number()}"
        return self._add_node("AdamWOptimizer", inputs, output, _DOMAIN, **self._attributes)


class AdamW(_Optimizer):
    """AdamW, with the weight decay after the step. Moments have the factors ``betas``.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> optimizer = onnxblock.optim.AdamW(betas=(0.9, 0.99), weight_decay=0.01)
    >>> with onnxblock.empty_base():
    ...     flag = optimizer((onnx.load(str(mlp_path)).graph.initializer, []))
    >>> [node.op_type for node in optimizer.to_model_proto().graph.node]
    ['AdamWOptimizer']
    """

    _sequences = ("params", "gradients", "first_order_moments", "second_order_moments")

    def __init__(
        self,
        bias_correction: bool = True,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        clip_grad: Block | None = None,
    ) -> None:
        super().__init__(clip_grad)
        self._adamw = AdamWOptimizer(bias_correction, betas, eps, weight_decay)

    def _add_update(self, gradients: str) -> str:
        moments = ("first_order_moments", "second_order_moments")
        return self._adamw("learning_rate", "step", "params", gradients, *moments)


class SGD(_Optimizer):
    """w - learning_rate * gradient

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> optimizer = onnxblock.optim.SGD()
    >>> with onnxblock.empty_base():
    ...     flag = optimizer((onnx.load(str(mlp_path)).graph.initializer, []))
    >>> [node.op_type for node in optimizer.to_model_proto().graph.node]
    ['SGDOptimizerV2']
    """

    _sequences = ("params", "gradients", "first_order_moments")

    def _add_update(self, gradients: str) -> str:
        return SGDOptimizer()("learning_rate", "params", gradients)
