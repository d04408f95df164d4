# SPDX-License-Identifier: Apache-2.0
"""Blocks for the modules ``onnxblock`` of ONNX Runtime and of Temper alike."""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Callable
from typing import Any

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

Build = Callable[[Any], Any]

A = numpy.random.default_rng(3).normal(size=(3, 4)).astype(numpy.float32)
B = numpy.random.default_rng(4).uniform(0.1, 1, size=(3, 4)).astype(numpy.float32)
K = numpy.array([1, 2, 7], numpy.int64)
T = numpy.random.default_rng(5).uniform(size=(3, 4)).astype(numpy.float32)
W = numpy.array([0.5, 1, 2, 3], numpy.float32)
FEEDS = {"a": A, "b": B, "k": K, "t": T, "labels": numpy.array([0, 3, 2])}


def values() -> onnx.ModelProto:
    """Inputs a, b [3, 4] and k [3], and outputs x, y, z equal to them."""
    kinds = {"a": ("x", TensorProto.FLOAT, [3, 4]), "b": ("y", TensorProto.FLOAT, [3, 4])}
    kinds["k"] = ("z", TensorProto.INT64, [3])
    nodes, inputs, outputs = [], [], []
    for name, (output, kind, shape) in kinds.items():
        nodes.append(helper.make_node("Identity", [name], [output]))
        inputs.append(helper.make_tensor_value_info(name, kind, shape))
        outputs.append(helper.make_tensor_value_info(output, kind, shape))
    model: onnx.ModelProto = helper.make_model(
        helper.make_graph(nodes, "values", inputs, outputs),
        opset_imports=[
            helper.make_opsetid("", 17),
            helper.make_opsetid("com.microsoft", 1),
            helper.make_opsetid("ai.onnx.ml", 2),
        ],
    )
    model.ir_version = 8
    return model


def builds(blocks: Any, loss: Any) -> dict[str, Build]:
    """What to call with the names x, y, z of values()."""
    return {
        "Add": lambda _: blocks.Add()("x", "y"),
        "Sub": lambda _: blocks.Sub()("x", "y"),
        "Mul": lambda _: blocks.Mul()("x", "y"),
        "Div": lambda _: blocks.Div()("x", "y"),
        "Pow": lambda _: blocks.Pow(3.0)("x"),
        "ReduceMean": lambda _: blocks.ReduceMean()("x"),
        "ReduceMean of all": lambda _: blocks.ReduceMean(keepdims=False)("x"),
        "ReduceSum": lambda _: blocks.ReduceSum()("x"),
        "ReduceSum of all": lambda _: blocks.ReduceSum(keepdims=False)("x"),
        "Sigmoid": lambda _: blocks.Sigmoid()("x"),
        "Log": lambda _: blocks.Log()("y"),
        "Neg": lambda _: blocks.Neg()("x"),
        "Abs": lambda _: blocks.Abs()("x"),
        "Constant": lambda _: blocks.Mul()(blocks.Constant(2.5)(), "x"),
        "ReduceAllL2": lambda _: blocks.ReduceAllL2()("x", "y"),
        "Clip": lambda _: blocks.Clip()("x"),
        "Clip below": lambda _: blocks.Clip(clip_min=-0.5)("x"),
        "Clip above": lambda _: blocks.Clip(clip_max=0.5)("x"),
        "Clip both": lambda _: blocks.Clip(-0.5, 0.5)("x"),
        "Cast": lambda _: blocks.Cast(TensorProto.DOUBLE)("x"),
        "InputLike": lambda _: blocks.Mul()("x", blocks.InputLike("a")("t")),
        "MSELoss": lambda _: loss.MSELoss()("x", "t"),
        "MSELoss sum": lambda _: loss.MSELoss("sum")("x", target_name="t"),
        "L1Loss": lambda _: loss.L1Loss()("x", "t"),
        "L1Loss sum": lambda _: loss.L1Loss("sum")("x", "t"),
        "BCEWithLogitsLoss": lambda _: loss.BCEWithLogitsLoss()("x", "t"),
        "BCEWithLogitsLoss sum": lambda _: loss.BCEWithLogitsLoss(reduction="sum")("x", "t"),
        "BCEWithLogitsLoss weight": lambda _: loss.BCEWithLogitsLoss(W)("x", "t"),
        "BCEWithLogitsLoss pos_weight": lambda _: loss.BCEWithLogitsLoss(pos_weight=W)("x", "t"),
        "CrossEntropyLoss": lambda _: loss.CrossEntropyLoss()("x"),
        "CrossEntropyLoss sum": lambda _: loss.CrossEntropyLoss(reduction="sum")("x"),
        "CrossEntropyLoss none": lambda _: loss.CrossEntropyLoss(reduction="none")("x"),
        "CrossEntropyLoss ignore_index": lambda _: loss.CrossEntropyLoss(ignore_index=3)("x"),
        "two losses": lambda _: blocks.Add()(
            loss.MSELoss()("x", "t"), loss.L1Loss()("y", target_name="t")
        ),
    }


#: Blocks of the operator LabelEncoder, of which Temper only makes the node.
LABEL_ENCODERS: dict[str, dict[str, Any]] = {
    "integers": {"default_int64": 9, "keys_int64s": [1, 2], "values_int64s": [10, 20]},
    "to floats": {"default_float": 0.5, "keys_int64s": [1, 2], "values_floats": [1.5, 2.5]},
    "to texts": {"default_string": "?", "keys_int64s": [1, 2], "values_strings": ["one", "two"]},
}


def encoded_artifacts(onnxblock: Any, artifacts: Any, model: onnx.ModelProto, folder: Any) -> None:
    """Artifacts whose labels are what a LabelEncoder makes of the input "codes": 10, 20 and 30."""

    class Encoded(onnxblock.Block):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.loss = onnxblock.loss.CrossEntropyLoss()
            self.encoder = onnxblock.blocks.LabelEncoder(
                keys_int64s=[10, 20, 30], values_int64s=[0, 1, 2]
            )

        def build(self, scores: str) -> Any:
            codes = onnxblock.blocks.InputLike(scores)("codes")
            declared = self.base.graph.input[-1].type.tensor_type
            declared.elem_type = TensorProto.INT64
            del declared.shape.dim[1]
            return self.loss(scores, labels_name=self.encoder(codes))

    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 2))
    artifacts.generate_artifacts(
        model,
        requires_grad=[tensor.name for tensor in model.graph.initializer],
        loss=Encoded(),
        optimizer=artifacts.OptimType.AdamW,
        artifact_directory=str(folder),
    )


def forward_models(onnxblock: Any, folder: Any, chosen: dict[str, Build]) -> None:
    """Saves a model for each block, built by a ForwardBlock that calls it."""
    for name, build in chosen.items():

        class Forward(onnxblock.ForwardBlock):  # type: ignore[misc]
            def build(self, _: str) -> Any:
                return build(self)

        block = Forward()
        with onnxblock.base(values()) as opened:
            output = block("x")
            assert opened.model.SerializeToString() == block.to_model_proto().SerializeToString()
        model = block.to_model_proto()
        assert [each.name for each in model.graph.output] == [output]
        onnx.save(model, str(pathlib.Path(folder) / f"{name}.onnx"))


def four_files(
    onnxblock: Any, model: onnx.ModelProto, folder: Any, optimizer: Any, kind: str
) -> None:
    """Artifacts without generate_artifacts(): everything but fc1.bias trains."""

    class Training(onnxblock.TrainingBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.loss = getattr(onnxblock.loss, kind)()

        def build(self, name: str) -> tuple[str, str]:
            return self.loss(name), name

    block = Training()
    for tensor in model.graph.initializer:
        block.requires_grad(tensor.name)
    block.requires_grad("fc1.bias", False)
    block.requires_grad("fc2.bias", False)
    block.requires_grad("fc2.bias")
    with onnxblock.base(model):
        block("logits")
        training, evaluation = block.to_model_proto()
        parameters = copy.deepcopy(block.parameters())
    original = {tensor.name: tensor for tensor in model.graph.initializer}
    for tensor in (*parameters[0], *parameters[1]):
        numpy.testing.assert_array_equal(
            numpy_helper.to_array(tensor), numpy_helper.to_array(original[tensor.name])
        )
    assert [tensor.name for tensor in parameters[0]] == ["fc1.weight", "fc2.weight", "fc2.bias"]
    assert [tensor.name for tensor in parameters[1]] == ["fc1.bias"]
    with onnxblock.empty_base():
        optimizer(parameters)
        made = optimizer.to_model_proto()
    folder = pathlib.Path(folder)
    onnx.save(training, str(folder / "training_model.onnx"))
    onnx.save(evaluation, str(folder / "eval_model.onnx"))
    onnx.save(made, str(folder / "optimizer_model.onnx"))
    onnxblock.save_checkpoint(parameters, folder / "checkpoint")
    onnxblock.save_checkpoint(parameters, folder / "nominal_checkpoint", nominal_checkpoint=True)
