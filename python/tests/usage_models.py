# SPDX-License-Identifier: Apache-2.0
"""Models as exporters write them, made with onnx's helper."""

from __future__ import annotations

from typing import Any

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def weights(seed: int = 3, **shapes: tuple[int, ...]) -> list[onnx.TensorProto]:
    """Initializers with fixed random values; "__" in a name stands for a point."""
    random = numpy.random.default_rng(seed)
    return [
        numpy_helper.from_array(
            random.normal(0, 0.5, shape).astype(numpy.float32), name.replace("__", ".")
        )
        for name, shape in shapes.items()
    ]


def value(name: str, kind: int, *shape: Any) -> onnx.ValueInfoProto:
    info: onnx.ValueInfoProto = helper.make_tensor_value_info(name, kind, list(shape))
    return info


def model(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    initializers: list[onnx.TensorProto],
    opset: int = 14,
) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "main_graph", inputs, outputs, initializers)
    made: onnx.ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="pytorch"
    )
    made.ir_version = 7
    onnx.checker.check_model(made)
    return made


def gemm(source: str, layer: str, target: str) -> onnx.NodeProto:
    node: onnx.NodeProto = helper.make_node(
        "Gemm", [source, f"{layer}.weight", f"{layer}.bias"], [target], layer, transB=1
    )
    return node


def classifier() -> onnx.ModelProto:
    """4 features, 3 classes."""
    return model(
        [
            gemm("input", "fc1", "hidden"),
            helper.make_node("Relu", ["hidden"], ["active"], "relu"),
            gemm("active", "fc2", "output"),
        ],
        [value("input", FLOAT, "batch_size", 4)],
        [value("output", FLOAT, "batch_size", 3)],
        weights(fc1__weight=(8, 4), fc1__bias=(8,), fc2__weight=(3, 8), fc2__bias=(3,)),
    )


def with_norm(training: bool = False) -> onnx.ModelProto:
    """A classifier with a batch normalization, in inference or in training mode."""
    statistics = [
        numpy_helper.from_array(numpy.zeros(8, numpy.float32), "bn.running_mean"),
        numpy_helper.from_array(numpy.ones(8, numpy.float32), "bn.running_var"),
    ]
    names = ["bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"]
    return model(
        [
            gemm("input", "fc1", "hidden"),
            helper.make_node(
                "BatchNormalization",
                ["hidden", *names],
                ["normed", "mean", "variance"] if training else ["normed"],
                "bn",
                training_mode=int(training),
            ),
            gemm("normed", "fc2", "output"),
        ],
        [value("input", FLOAT, "batch_size", 4)],
        [value("output", FLOAT, "batch_size", 3)],
        weights(
            fc1__weight=(8, 4),
            fc1__bias=(8,),
            bn__weight=(8,),
            bn__bias=(8,),
            fc2__weight=(3, 8),
            fc2__bias=(3,),
        )
        + statistics,
    )


def with_adapters(log_prob: bool = False) -> onnx.ModelProto:
    """A projection with a low-rank adapter beside it, and the loss as the first output.

    Without ``log_prob``, the loss lacks the optional output that ONNX Runtime needs (fault 8).
    """
    losses = ["loss", "log_prob"] if log_prob else ["loss"]
    return model(
        [
            helper.make_node("MatMul", ["input", "layers.0.weight"], ["base"]),
            helper.make_node("MatMul", ["input", "layers.0.lora_A.weight"], ["low"]),
            helper.make_node("MatMul", ["low", "layers.0.lora_B.weight"], ["adapted"]),
            helper.make_node("Add", ["base", "adapted"], ["logits"]),
            helper.make_node("SoftmaxCrossEntropyLoss", ["logits", "labels"], losses),
        ],
        [value("input", FLOAT, "batch_size", 4), value("labels", INT64, "batch_size")],
        [value("loss", FLOAT), value("logits", FLOAT, "batch_size", 3)],
        weights(
            layers__0__weight=(4, 3),
            layers__0__lora_A__weight=(4, 2),
            layers__0__lora_B__weight=(2, 3),
        ),
    )


def with_diagnostics() -> onnx.ModelProto:
    """An encoder whose second output only tells something."""
    return model(
        [
            gemm("input", "encoder", "embedding"),
            helper.make_node("ReduceL2", ["embedding"], ["size"], axes=[1], keepdims=0),
        ],
        [value("input", FLOAT, "batch_size", 4)],
        [value("embedding", FLOAT, "batch_size", 8), value("size", FLOAT, "batch_size")],
        weights(encoder__weight=(8, 4), encoder__bias=(8,)),
    )


def with_output_layer() -> tuple[onnx.ModelProto, list[str]]:
    """with_diagnostics() with a new layer as its only output, and the names of its old weights."""
    made = with_diagnostics()
    old = [initializer.name for initializer in made.graph.initializer]
    made.graph.initializer.extend(weights(adapter__weight=(3, 8), adapter__bias=(3,)))
    made.graph.node.append(gemm("embedding", "adapter", "adapted"))
    del made.graph.output[0]
    made.graph.output.append(value("adapted", FLOAT, "batch_size", 3))
    return made, old


def energy() -> onnx.ModelProto:
    """The sum of squares of a layer of the positions."""
    return model(
        [
            helper.make_node("MatMul", ["positions", "pair.weight"], ["distances"]),
            helper.make_node("Mul", ["distances", "distances"], ["squares"]),
            helper.make_node("ReduceSum", ["squares"], ["energy"], keepdims=0),
        ],
        [value("positions", FLOAT, 2, 3)],
        [value("energy", FLOAT)],
        weights(pair__weight=(3, 3)),
    )


def logits_of(parameters: dict[str, numpy.ndarray], x: numpy.ndarray) -> numpy.ndarray:
    """What classifier() computes."""
    hidden = numpy.maximum(x @ parameters["fc1.weight"].T + parameters["fc1.bias"], 0)
    result: numpy.ndarray = hidden @ parameters["fc2.weight"].T + parameters["fc2.bias"]
    return result


def log_softmax(logits: numpy.ndarray) -> numpy.ndarray:
    shifted = logits.astype(float) - logits.max(axis=1, keepdims=True)
    result: numpy.ndarray = shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))
    return result
