# SPDX-License-Identifier: Apache-2.0
"""Blocks, losses and optimizers of onnxblock, one by one; they need the package onnx."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy
import pytest
from conftest import gradient, proto

import temper
from temper.onnxruntime.training import api, artifacts
from temper.onnxruntime.training.artifacts import LossType, generate_artifacts

onnx = pytest.importorskip("onnx")
from block_programs import encoded_artifacts  # noqa: E402

from temper.onnxruntime.training import onnxblock  # noqa: E402
from temper.onnxruntime.training.onnxblock import blocks, loss, optim  # noqa: E402

RANDOM = numpy.random.default_rng(3)
A = RANDOM.normal(size=(3, 4)).astype(numpy.float32)
B = RANDOM.normal(size=(3, 4)).astype(numpy.float32)


def result_of(model: Any, block: Any, *names: str) -> numpy.ndarray:
    """What a block computes of the inputs A and B."""
    with onnxblock.base(model) as accessor:
        output = block(*names)
        opened = accessor.model.SerializeToString()
    results = temper.run(opened, a=A, b=B, outputs=output)
    return results[output]


# 3.3 blocks


@pytest.mark.parametrize(
    "block, names, expected",
    [
        (blocks.Add(), ["x", "y"], A + B),
        (blocks.Sub(), ["x", "y"], A - B),
        (blocks.Mul(), ["x", "y"], A * B),
        (blocks.Div(), ["x", "y"], A / B),
        (blocks.Pow(2.0), ["x"], A**2),
        (blocks.ReduceMean(), ["x"], A.mean(keepdims=True)),
        (blocks.ReduceMean(keepdims=False), ["x"], A.mean()),
        (blocks.ReduceSum(), ["x"], A.sum(keepdims=True)),
        (blocks.ReduceSum(keepdims=False), ["x"], A.sum()),
        (blocks.Sigmoid(), ["x"], 1 / (1 + numpy.exp(-A))),
        (blocks.Neg(), ["x"], -A),
        (blocks.Abs(), ["x"], abs(A)),
        (blocks.Constant(2.5), [], numpy.array([2.5])),
        (blocks.Clip(), ["x"], A),
        (blocks.Clip(clip_min=-0.5), ["x"], A.clip(-0.5)),
        (blocks.Clip(clip_max=0.5), ["x"], A.clip(None, 0.5)),
        (blocks.Clip(-0.5, 0.5), ["x"], A.clip(-0.5, 0.5)),
        (blocks.Cast(11), ["x"], A.astype(float)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, onnxblock.Block) else "",
)
def test_blocks_compute(
    block: Any, names: list[str], expected: numpy.ndarray, two: Any
) -> None:
    result = result_of(two, block, *names)
    assert result.shape == expected.shape
    numpy.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_log(two: Any) -> None:
    class LogOfAbs(onnxblock.Block):
        def build(self, name: str) -> str:
            return blocks.Log()(blocks.Abs()(name))

    numpy.testing.assert_allclose(result_of(two, LogOfAbs(), "x"), numpy.log(abs(A)), rtol=1e-5)


def test_reduce_all_l2(two: Any) -> None:
    two.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    squares = (A.astype(float) ** 2).sum(), (B.astype(float) ** 2).sum()
    for names, total in ((["x"], squares[0]), (["x", "y", "y"], squares[0] + 2 * squares[1])):
        result = result_of(two, blocks.ReduceAllL2(), *names)
        assert result == pytest.approx(numpy.sqrt(total), rel=1e-5)


def test_sequence_construct_and_pass_through(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        assert blocks.PassThrough()("x", "y") == ("x", "y")
        name = blocks.SequenceConstruct()("x", "y", "x")
        node = accessor.model.graph.node[-1]
    assert (node.op_type, list(node.input), list(node.output)) == (
        "SequenceConstruct",
        ["x", "y", "x"],
        [name],
    )


def test_input_like_adds_an_input_of_the_same_type(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        named = blocks.InputLike("x")("mask")
        other = blocks.InputLike("a")()
        added = accessor.model.graph.input[2:]
        assert [value.name for value in added] == [named, other]
        assert named == "mask"
        shapes = [[dim.dim_value for dim in v.type.tensor_type.shape.dim] for v in added]
        assert shapes == [[3, 4], [3, 4]]
        with pytest.raises(LookupError) as caught:
            blocks.InputLike("nothing")()
        inner = blocks.Neg()("x")
        with pytest.raises(LookupError, match=f"^Could not find input or output with name {inner}"):
            blocks.InputLike(inner)()
    assert str(caught.value) == "Could not find input or output with name nothing."
    with onnxblock.base(proto("(int64[3] a) => (int64[3] x) { x = Identity(a) }")) as accessor:
        blocks.InputLike("x")("more")
        first, more = accessor.model.graph.input
        assert (more.name, more.type) == ("more", first.type)


def test_label_encoder(two: Any) -> None:
    block = blocks.LabelEncoder(
        default_int64=9, keys_int64s=[1, 2], values_int64s=[10, 20]
    )
    model = proto("(int64[3] a) => (int64[3] x) { x = Identity(a) }")
    with onnxblock.base(model) as accessor:
        block("x")
        node = accessor.model.graph.node[-1]
        assert "ai.onnx.ml" in [opset.domain for opset in accessor.model.opset_import]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    assert attributes["keys_int64s"] == [1, 2]
    assert attributes["values_int64s"] == [10, 20]
    assert (attributes["default_int64"], attributes["default_string"]) == (9, b"_Unused")


def test_linear(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        name = blocks.Linear(4, 2)("x")
        model = onnx.ModelProto.FromString(accessor.model.SerializeToString())
    weight, bias = (onnx.numpy_helper.to_array(t) for t in model.graph.initializer)
    assert (weight.shape, bias.shape) == ((4, 2), (2,))
    results = temper.run(model, a=A, b=B, outputs=name)
    numpy.testing.assert_allclose(results[name], A @ weight + bias, rtol=1e-4, atol=1e-5)


def test_linear_without_bias_and_with_factors(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        names = blocks.Linear(4, 500, bias=False)("x"), blocks.Linear(4, 2, True, 0.5, 3.0)("x")
        model = onnx.ModelProto.FromString(accessor.model.SerializeToString())
    first, second, bias = map(onnx.numpy_helper.to_array, model.graph.initializer)
    assert abs(first.mean()) < 0.15 and abs(first.std() - 1) < 0.1  # 2000 normal numbers
    for name, expected in zip(names, (A @ first, 0.5 * (A @ second) + 3 * bias)):
        result = temper.run(model, a=A, b=B, outputs=name)[name]
        numpy.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


# 3.4 loss and optim


T = RANDOM.uniform(size=(3, 4)).astype(numpy.float32)
W = numpy.array([0.5, 1, 2, 3], numpy.float32)
SIGMOID = 1 / (1 + numpy.exp(-A.astype(float)))


def bce(positive: Any = 1.0) -> numpy.ndarray:
    each: numpy.ndarray = -(
        positive * T * numpy.log(SIGMOID) + (1 - T) * numpy.log(1 - SIGMOID)
    )
    return each


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda r: loss.MSELoss(reduction=r), (A - T) ** 2),
        (lambda r: loss.L1Loss(reduction=r), abs(A - T)),
        (lambda r: loss.BCEWithLogitsLoss(reduction=r), bce()),
        (lambda r: loss.BCEWithLogitsLoss(W, r), W * bce()),
        (lambda r: loss.BCEWithLogitsLoss(reduction=r, pos_weight=W), bce(W)),
    ],
    ids=["MSELoss", "L1Loss", "BCEWithLogitsLoss", "weight", "pos_weight"],
)
def test_7_losses_of_values(
    make: Any, expected: numpy.ndarray, reduction: str, two: Any
) -> None:
    with onnxblock.base(two) as accessor:
        name = make(reduction)("x", "t")
        model = accessor.model.SerializeToString()
    result = temper.run(model, a=A, b=B, t=T, outputs=name)[name]
    reduced = {"mean": expected.mean(), "sum": expected.sum(), "none": expected}[reduction]
    assert result.shape == numpy.shape(reduced)
    numpy.testing.assert_allclose(result, reduced, rtol=1e-4, atol=1e-6)


def test_bce_of_large_logits_is_finite(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        name = loss.BCEWithLogitsLoss(reduction="none")("x", "t")
        model = accessor.model.SerializeToString()
    large = numpy.full((3, 4), 200, numpy.float32)
    result = temper.run(model, a=large, b=B, t=T, outputs=name)[name]
    numpy.testing.assert_allclose(result, 200 * (1 - T), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_7_cross_entropy_with_weights_and_an_ignored_label(reduction: str, two: Any) -> None:
    labels = numpy.array([0, 3, 2])
    with onnxblock.base(two) as accessor:
        block = loss.CrossEntropyLoss(weight=W, reduction=reduction, ignore_index=2)
        name = block("x")
        model = onnx.ModelProto.FromString(accessor.model.SerializeToString())
    declared = model.graph.input[-1]
    assert declared.name == "labels"
    assert declared.type.tensor_type.elem_type == onnx.TensorProto.INT64
    assert [dim.dim_value for dim in declared.type.tensor_type.shape.dim] == [3]
    log = A.astype(float) - numpy.log(numpy.exp(A.astype(float)).sum(1, keepdims=True))
    counted = numpy.where(labels == 2, 0, W[labels])
    each = -log[numpy.arange(3), labels] * counted
    expected = {"mean": each.sum() / counted.sum(), "sum": each.sum(), "none": each}[reduction]
    result = temper.run(model, a=A, b=B, labels=labels, outputs=name)[name]
    numpy.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.parametrize(
    "kind", [loss.MSELoss, loss.L1Loss, loss.BCEWithLogitsLoss, loss.CrossEntropyLoss]
)
def test_an_unknown_reduction_is_a_runtime_error(kind: Any) -> None:
    with pytest.raises(RuntimeError, match="^Reduction median not supported."):
        kind(reduction="median")


def test_the_output_of_a_label_encoder_can_be_the_labels(
    mlp_proto: Any, tmp_path: pathlib.Path
) -> None:
    encoded_artifacts(onnxblock, artifacts, mlp_proto, tmp_path)
    model = onnx.load(str(tmp_path / "training_model.onnx"))
    (encoder,) = [node for node in model.graph.node if node.op_type == "LabelEncoder"]
    (entropy,) = [node for node in model.graph.node if node.op_type == "SoftmaxCrossEntropyLoss"]
    assert entropy.input[1] == encoder.output[0]
    assert [value.name for value in model.graph.input][:3] == ["x", "codes", "fc1.weight"]
    # only ONNX Runtime computes it
    with pytest.raises(temper.UnsupportedError, match="Operator ai.onnx.ml.LabelEncoder is not"):
        temper.Session(tmp_path).train_step(
            numpy.zeros([3, 4], numpy.float32), numpy.array([10, 20, 30])
        )


class Weighted(onnxblock.Block):
    """A loss that never calls its base class's constructor, as documentation shows it."""

    def __init__(self) -> None:
        self.first = loss.MSELoss()
        self.second = loss.L1Loss()

    def build(self, x: str, y: str) -> str:
        weight = blocks.Constant(0.4)()
        return blocks.Add()(
            blocks.Mul()(weight, self.first(x, "t")), self.second(y, target_name="t")
        )


def test_two_losses_can_share_a_target(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        name = Weighted()("x", "y")
        model = accessor.model.SerializeToString()
    result = temper.run(model, a=A, b=B, t=T, outputs=name)[name]
    expected = 0.4 * ((A - T) ** 2).mean() + abs(B - T).mean()
    assert float(result[0]) == pytest.approx(expected, rel=1e-5)


def optimizer_attributes(model: Any, op: str) -> dict[str, Any]:
    (node,) = [node for node in model.graph.node if node.op_type == op]
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def test_adamw_has_its_defaults_and_clips(mlp_proto: Any) -> None:
    trainable = list(mlp_proto.graph.initializer)
    with onnxblock.empty_base(14):
        block = optim.AdamW(clip_grad=optim.ClipGradNorm(0.5), weight_decay=0.1)
        flag = block((trainable, []))
    model = block.to_model_proto()
    assert [value.name for value in model.graph.input] == [
        "learning_rate",
        "step",
        "params",
        "gradients",
        "first_order_moments",
        "second_order_moments",
    ]
    assert [value.name for value in model.graph.output] == [flag]
    assert optimizer_attributes(model, "AdamWOptimizer") == {
        "alpha": pytest.approx(0.9),
        "beta": pytest.approx(0.999),
        "epsilon": pytest.approx(1e-6),
        "weight_decay": pytest.approx(0.1),
        "correct_bias": 1,
        "adam_mode": 1,
    }
    assert optimizer_attributes(model, "InplaceClipGradNorm") == {"max_norm": 0.5}
    with onnxblock.empty_base(14):
        with pytest.raises(RuntimeError, match="^No parameter trains"):
            optim.SGD()(([], []))


def test_clip_grad_norm_returns_the_name_of_the_clipped_sequence() -> None:
    float_sequence = onnx.helper.make_tensor_sequence_value_info(
        "gradients", onnx.TensorProto.FLOAT, None
    )
    with onnxblock.empty_base(14) as accessor:
        accessor.model.graph.input.append(float_sequence)
        name = optim.ClipGradNorm(0.5)("gradients")
        (node,) = accessor.model.graph.node
    assert isinstance(name, str)
    assert (list(node.input), list(node.output)) == (["gradients"], [name])
    assert (node.domain, node.op_type) == ("com.microsoft", "InplaceClipGradNorm")


def test_adamw_passes_its_arguments_on(mlp_proto: Any) -> None:
    with onnxblock.empty_base(14):
        block = optim.AdamW(False, (0.5, 0.75), 0.125, 0.25)
        block((list(mlp_proto.graph.initializer), []))
    assert optimizer_attributes(block.to_model_proto(), "AdamWOptimizer") == {
        "alpha": 0.5,
        "beta": 0.75,
        "epsilon": 0.125,
        "weight_decay": 0.25,
        "correct_bias": 0,
        "adam_mode": 1,
    }


WEIGHTED = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[3, 4] a) => (float[3, 4] x) <float[1] w = {1.5}> { x = Mul(a, w) }
"""


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("kind", ["cross entropy", "binary"])
def test_7_weighted_losses_train(kind: str, reduction: str, tmp_path: pathlib.Path) -> None:
    class Total(onnxblock.Block):
        def build(self, x: str) -> str:
            if kind == "binary":
                each = loss.BCEWithLogitsLoss(W, reduction, pos_weight=2 * W)(x, "t")
            else:
                each = loss.CrossEntropyLoss(W, reduction, ignore_index=2)(x, "t")
            return blocks.ReduceSum(keepdims=False)(each)

    generate_artifacts(proto(WEIGHTED), loss=Total(), artifact_directory=tmp_path)
    scores = 1.5 * A.astype(float)
    if kind == "binary":
        target: numpy.ndarray = T
        shares = 1 / (1 + numpy.exp(-scores))
        slopes = W * ((1 - T) * shares - 2 * W * T * (1 - shares))
        count = float(slopes.size)
    else:
        target = numpy.array([0, 3, 2])
        shares = numpy.exp(scores) / numpy.exp(scores).sum(1, keepdims=True)
        counted = numpy.where(target == 2, 0, W[target])[:, None]
        slopes = counted * (shares - numpy.eye(4)[target])
        count = float(counted.sum())
    expected = (slopes * A).sum() / (count if reduction == "mean" else 1)
    session = temper.Session(tmp_path)
    session.train_step(A, target)
    assert session.gradients["w"][0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("max_norm", [None, 0.01])
def test_sgd_with_and_without_clipping_steps_along_the_gradient(
    max_norm: float | None,
    mlp_proto: Any,
    x: numpy.ndarray,
    labels: numpy.ndarray,
    tmp_path: pathlib.Path,
) -> None:
    clip = None if max_norm is None else optim.ClipGradNorm(max_norm)
    generate_artifacts(
        mlp_proto,
        loss=LossType.CrossEntropyLoss,
        optimizer=optim.SGD(clip_grad=clip),
        artifact_directory=tmp_path,
    )
    state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = api.Module(tmp_path / "training_model.onnx", state)
    optimizer = api.Optimizer(tmp_path / "optimizer_model.onnx", module)
    before = module.get_contiguous_parameters(True).numpy()
    module(x, labels)
    names = ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    grads = numpy.concatenate([gradient(state, name).ravel() for name in names]).astype(float)
    factor = 1.0 if max_norm is None else max_norm / numpy.linalg.norm(grads)
    optimizer.set_learning_rate(1.0)
    optimizer.step()
    after = module.get_contiguous_parameters(True).numpy()
    numpy.testing.assert_allclose(after, before - factor * grads, rtol=1e-4, atol=1e-6)
