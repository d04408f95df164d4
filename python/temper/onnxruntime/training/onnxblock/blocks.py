# SPDX-License-Identifier: Apache-2.0
"""Blocks: parts of models that a program adds by calling them with names of values."""

from __future__ import annotations

import abc
import copy
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
import onnx

from temper._errors import InvalidInputError, NotFoundError
from temper.onnxruntime.training.onnxblock import model_accessor as accessor
from temper.onnxruntime.training.onnxblock._large import light


class Block(abc.ABC):
    """Derive from it and write build(), which adds nodes to ``self.base`` or calls other blocks,
    and returns the name of its output, or several.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> class Squares(onnxblock.Block):
    ...     def build(self, name):
    ...         return onnxblock.blocks.ReduceSum()(onnxblock.blocks.Pow(2.0)(name))
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     total = Squares()("logits")
    ...     [node.op_type for node in opened.model.graph.node]
    ['Gemm', 'Relu', 'Gemm', 'Pow', 'ReduceSum']
    """

    base: Any = None

    def __init__(self, temp_file_name: str = "temp.onnx") -> None:
        if os.path.isabs(temp_file_name):
            raise InvalidInputError(
                f"The temporary file name '{temp_file_name}' is an absolute path.",
                "Leave it out: no temporary file is written.",
            )

    @abc.abstractmethod
    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Adds the block to ``self.base``. Returns the names of its outputs."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Builds on the open model and checks it."""
        opened = accessor.open_accessor()
        self.base = opened.model
        opened.depth += 1
        try:
            output = self.build(*args, **kwargs)
        finally:
            opened.depth -= 1
        if opened.depth == 0:
            onnx.checker.check_model(light(self.base))
        return output

    def infer_shapes_on_base(self) -> onnx.ModelProto:
        """The open model with the types that follow."""
        return accessor.inferred(accessor.open_accessor().model)

    def _add_node(
        self, op: str, inputs: Sequence[str], output: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """A node with one output, whose name is returned."""
        opened = accessor.open_accessor()
        name = output or f"onnx::{op.lower()}_output::{opened.number()}"
        node = onnx.helper.make_node(
            op, inputs, [name], f"onnx::{op}::{opened.number()}", domain=domain, **attributes
        )
        self.base.graph.node.append(node)
        return name

    def _add_initializer(self, what: str, values: Any) -> str:
        array = numpy.asarray(values, numpy.float32)
        name = f"onnx::{what}::{accessor.open_accessor().number()}"
        self.base.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
        return name


class OneOutput(Block):
    """A block whose call returns the name of its only output."""

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> str: ...


class _Binary(OneOutput):
    """y = op(a, b)"""

    def build(self, input_name1: str, input_name2: str) -> str:
        return self._add_node(type(self).__name__, [input_name1, input_name2])


class Add(_Binary):
    """a + b"""


class Sub(_Binary):
    """a - b"""


class Mul(_Binary):
    """a * b"""


class Div(_Binary):
    """a / b"""


class _Unary(OneOutput):
    """y = op(x)"""

    def build(self, input_name: str) -> str:
        return self._add_node(type(self).__name__, [input_name])


class Sigmoid(_Unary):
    """1 / (1 + exp(-x))"""


class Log(_Unary):
    """The natural logarithm."""


class Neg(_Unary):
    """-x"""


class Abs(_Unary):
    """|x|"""


class Pow(OneOutput):
    """x to the power of a number."""

    def __init__(self, exponent: float) -> None:
        super().__init__()
        self._exponent = exponent

    def build(self, pow_input_name: str) -> str:
        exponent = self._add_initializer("pow_exponent", [self._exponent])
        return self._add_node("Pow", [pow_input_name, exponent])


class _Reduce(OneOutput):
    """y = op(x) over all axes."""

    def __init__(self, keepdims: bool = True) -> None:
        super().__init__()
        self._keepdims = keepdims

    def build(self, input_name: str) -> str:
        return self._add_node(type(self).__name__, [input_name], keepdims=int(self._keepdims))


class ReduceMean(_Reduce):
    """The mean of all elements."""


class ReduceSum(_Reduce):
    """The sum of all elements."""


class Constant(OneOutput):
    """A float tensor of shape [1]."""

    def __init__(self, value_float: float) -> None:
        super().__init__()
        self._value = value_float

    def build(self) -> str:
        return self._add_initializer("initializer", [self._value])


class SequenceConstruct(OneOutput):
    """A sequence of tensors."""

    def build(self, *sequence_input_names: str) -> str:
        return self._add_node("SequenceConstruct", sequence_input_names)


class ReduceAllL2(OneOutput):
    """The Euclidean norm of all elements of all tensors."""

    def build(self, *reduce_node_input_names: str) -> str:
        output = self._add_node("ReduceAllL2", reduce_node_input_names, domain="com.microsoft")
        self.base.graph.value_info.append(
            onnx.helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, [1])
        )
        return output


class Clip(OneOutput):
    """Clamps numbers between two bounds."""

    def __init__(self, clip_min: float | None = None, clip_max: float | None = None) -> None:
        super().__init__()
        self._bounds = {"clip_min": clip_min, "clip_max": clip_max}

    def build(self, clip_input_name: str) -> str:
        bounds = [
            "" if bound is None else self._add_initializer(what, [bound])
            for what, bound in self._bounds.items()
        ]
        return self._add_node("Clip", [clip_input_name, *bounds])


class PassThrough(Block):
    """Adds nothing."""

    def build(self, *input_names: str) -> tuple[str, ...]:
        return input_names


class InputLike(OneOutput):
    """A new graph input of the same type as another input or an output.

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     mask = onnxblock.blocks.InputLike("logits")("mask")
    ...     [value.name for value in opened.model.graph.input]
    ['x', 'mask']
    """

    def __init__(self, like: str) -> None:
        super().__init__()
        self._like = like

    def build(self, input_name: str | None = None) -> str:
        graph = self.base.graph
        found = [value for value in (*graph.input, *graph.output) if value.name == self._like]
        if not found:
            raise NotFoundError(f"Could not find input or output with name {self._like}.")
        value = copy.deepcopy(found[0])
        value.name = input_name or f"onnx::input::{accessor.open_accessor().number()}"
        graph.input.append(value)
        return str(value.name)


class LabelEncoder(OneOutput):
    """Maps keys to values, as the operator of ai.onnx.ml does."""

    def __init__(
        self,
        default_float: float = 0.0,
        default_int64: int = -1,
        default_string: str = "_Unused",
        keys_floats: Sequence[float] | None = None,
        keys_int64s: Sequence[int] | None = None,
        keys_strings: Sequence[str] | None = None,
        values_floats: Sequence[float] | None = None,
        values_int64s: Sequence[int] | None = None,
        values_strings: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        given = {
            "default_float": default_float,
            "default_int64": default_int64,
            "default_string": default_string,
            "keys_floats": keys_floats,
            "keys_int64s": keys_int64s,
            "keys_strings": keys_strings,
            "values_floats": values_floats,
            "values_int64s": values_int64s,
            "values_strings": values_strings,
        }
        self._attributes = {name: value for name, value in given.items() if value is not None}

    def build(self, label_encoder_input_name: str) -> str:
        if all(opset.domain != "ai.onnx.ml" for opset in self.base.opset_import):
            self.base.opset_import.append(onnx.helper.make_opsetid("ai.onnx.ml", 2))
        output = f"onnx::label_encoder.output::{accessor.open_accessor().number()}"
        return self._add_node(
            "LabelEncoder", [label_encoder_input_name], output, "ai.onnx.ml", **self._attributes
        )


class Cast(OneOutput):
    """Converts to an element type, a number of onnx.TensorProto."""

    def __init__(self, to: int) -> None:
        super().__init__()
        self._to = to

    def build(self, cast_input_name: str) -> str:
        output = f"onnx::cast.output::{accessor.open_accessor().number()}"
        return self._add_node("Cast", [cast_input_name], output, to=self._to)


class Linear(OneOutput):
    """y = alpha x W + beta b with normally distributed W [in, out] and b [out].

    >>> import onnx
    >>> from temper.onnxruntime.training import onnxblock
    >>> with onnxblock.base(onnx.load(str(mlp_path))) as opened:
    ...     adapted = onnxblock.blocks.Linear(3, 2)("logits")
    ...     [list(tensor.dims) for tensor in opened.model.graph.initializer[-2:]]
    [[3, 2], [2]]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        alpha: float = 1.0,
        beta: float = 1.0,
    ) -> None:
        super().__init__()
        self._shape = (in_features, out_features)
        self._bias = bias
        self._factors: dict[str, Any] = {"alpha": alpha, "beta": beta}

    def build(self, linear_input_name: str) -> str:
        random = numpy.random.default_rng()
        weight = self._add_initializer("linear.weight", random.normal(size=self._shape))
        inputs = [linear_input_name, weight]
        if self._bias:
            inputs.append(
                self._add_initializer("linear.bias", random.normal(size=self._shape[1:]))
            )
        output = f"onnx::linear.output::{accessor.open_accessor().number()}"
        return self._add_node("Gemm", inputs, output, **self._factors)
