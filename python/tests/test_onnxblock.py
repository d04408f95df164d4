# SPDX-License-Identifier: Apache-2.0
"""onnxblock, class by class; it needs the package onnx."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy
import pytest

import temper
from temper.onnxruntime.training import api
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

onnx = pytest.importorskip("onnx")

from temper.onnxruntime.training import onnxblock  # noqa: E402
from temper.onnxruntime.training.onnxblock import blocks, loss, optim  # noqa: E402

RANDOM = numpy.random.default_rng(3)
A = RANDOM.normal(size=(3, 4)).astype(numpy.float32)
B = RANDOM.normal(size=(3, 4)).astype(numpy.float32)


def proto(text: str) -> Any:
    return onnx.load_model_from_string(temper.from_text(text).to_bytes())


@pytest.fixture
def two() -> Any:
    """Two values as outputs."""
    return proto(
        "(float[3, 4] a, float[3, 4] b) => (float[3, 4] x, float[3, 4] y) "
        "{ x = Identity(a) y = Identity(b) }"
    )


@pytest.fixture
def mlp_proto(mlp: temper.Model) -> Any:
    return onnx.load_model_from_string(mlp.to_bytes())


def result_of(model: Any, block: Any, *names: str) -> numpy.ndarray:
    """What a block computes of the inputs A and B."""
    with onnxblock.base(model) as accessor:
        output = block(*names)
        opened = accessor.model.SerializeToString()
    results = temper.run(opened, a=A, b=B, outputs=output)
    return results[output]


# 3.1 Building


def test_base_opens_a_copy(mlp_proto: Any) -> None:
    before = mlp_proto.SerializeToString()
    with onnxblock.base(mlp_proto) as accessor:
        blocks.Neg()("logits")
        assert len(accessor.model.graph.node) == len(mlp_proto.graph.node) + 1
        assert accessor.has_path is False
        with pytest.raises(RuntimeError, match="^The path of the model is not known."):
            accessor.path
    assert mlp_proto.SerializeToString() == before
    with onnxblock.base(mlp_proto, "model.onnx") as accessor:
        assert (accessor.has_path, accessor.path) == (True, "model.onnx")


def test_a_second_base_while_one_is_open_is_an_error(mlp_proto: Any) -> None:
    with onnxblock.base(mlp_proto):
        with pytest.raises(RuntimeError, match="^Base onnx model already exists."):
            with onnxblock.empty_base():
                pass
    with onnxblock.base(mlp_proto):
        pass
    with pytest.raises(RuntimeError, match="^The base model is None."):
        with onnxblock.base(None):
            pass


def test_empty_base_has_versions_that_onnxruntime_reads() -> None:
    with onnxblock.empty_base() as accessor:
        model = accessor.model
        assert {opset.domain: opset.version for opset in model.opset_import} == {
            "": min(onnx.defs.onnx_opset_version(), 21),
            "com.microsoft": 1,
        }
        assert model.ir_version <= 10
        assert (model.producer_name, model.graph.name) == ("orttraining", "graph")
    with onnxblock.empty_base(15) as accessor:
        assert accessor.model.opset_import[1].version == 15


def test_custom_op_library_yields_an_existing_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "ops.so"
    with pytest.raises(RuntimeError):
        with onnxblock.custom_op_library(path):
            pass
    path.touch()
    with onnxblock.custom_op_library(path) as library:
        assert library == str(path)
        with pytest.raises(RuntimeError, match="^Custom op library already exists."):
            with onnxblock.custom_op_library(path):
                pass


# 3.2 Block classes


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


def test_a_block_outside_of_a_base_names_what_is_missing() -> None:
    with pytest.raises(RuntimeError) as caught:
        blocks.Neg()("x")
    assert "onnxblock.base" in caught.value.hint


def test_a_block_with_an_absolute_temporary_file_is_refused() -> None:
    class Mine(onnxblock.Block):
        def build(self) -> str:
            return ""

    with pytest.raises(RuntimeError, match="is an absolute path"):
        Mine("/tmp/x.onnx")
    with pytest.raises(TypeError):
        onnxblock.Block()  # type: ignore[abstract]


def test_a_block_that_breaks_the_model_is_refused(two: Any) -> None:
    with onnxblock.base(two):
        with pytest.raises(Exception, match="nothing"):
            blocks.Neg()("nothing")


def test_forward_block_makes_a_model_of_its_outputs(two: Any) -> None:
    class Sum(onnxblock.ForwardBlock):
        def build(self, x: str, y: str) -> str:
            return blocks.Add()(x, y)

    block = Sum()
    with pytest.raises(RuntimeError, match="^Please build the forward models first"):
        block.to_model_proto()
    with onnxblock.base(two):
        name = block("x", "y")
    model = block.to_model_proto()
    assert [output.name for output in model.graph.output] == [name]
    numpy.testing.assert_array_equal(
        temper.run(model, a=A, b=B)[name], A + B
    )


class Training(onnxblock.TrainingBlock):
    def __init__(self) -> None:
        super().__init__()
        self.loss = loss.CrossEntropyLoss()

    def build(self, logits: str) -> tuple[str, str]:
        return self.loss(logits), logits


def test_training_block_makes_models_and_parameters(
    mlp_proto: Any, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    block = Training()
    with pytest.raises(RuntimeError, match="^Please build the training model first"):
        block.parameters()
    with pytest.raises(RuntimeError, match="^Please build the training and eval models first"):
        block.to_model_proto()
    for tensor in mlp_proto.graph.initializer:
        block.requires_grad(tensor.name)
    block.requires_grad("fc1.bias", False)
    with onnxblock.base(mlp_proto) as accessor:
        returned = block("logits")
        opened = accessor.model
        assert returned[1] == "logits"
        training, evaluation = block.to_model_proto()
        assert opened.SerializeToString() == training.SerializeToString()
        trainable, frozen = block.parameters()
    assert [tensor.name for tensor in trainable] == ["fc1.weight", "fc2.weight", "fc2.bias"]
    assert [tensor.name for tensor in frozen] == ["fc1.bias"]
    with onnxblock.empty_base():
        optimizer = optim.AdamW()
        optimizer(block.parameters())
    train_by_hand(tmp_path, training, evaluation, optimizer.to_model_proto(), block, x, labels)


def train_by_hand(
    folder: pathlib.Path,
    training: Any,
    evaluation: Any,
    optimizer: Any,
    block: onnxblock.TrainingBlock,
    x: numpy.ndarray,
    labels: numpy.ndarray,
) -> None:
    onnx.save(training, folder / "training.onnx")
    onnx.save(evaluation, folder / "eval.onnx")
    onnx.save(optimizer, folder / "optimizer.onnx")
    onnxblock.save_checkpoint(block.parameters(), folder / "checkpoint")
    state = api.CheckpointState.load_checkpoint(folder / "checkpoint")
    module = api.Module(folder / "training.onnx", state, folder / "eval.onnx")
    update = api.Optimizer(folder / "optimizer.onnx", module)
    losses = []
    for _ in range(20):
        value, logits = module(x, labels)
        losses.append(float(value))
        update.step()
        module.lazy_reset_grad()
    assert losses[-1] < losses[0]
    log = logits.astype(float) - numpy.log(numpy.exp(logits.astype(float)).sum(1, keepdims=True))
    assert losses[-1] == pytest.approx(-log[numpy.arange(16), labels].mean(), rel=1e-5)


def test_a_graph_input_can_require_a_gradient(mlp_proto: Any, x: numpy.ndarray) -> None:
    class Energy(onnxblock.TrainingBlock):
        def build(self, name: str) -> str:
            return blocks.ReduceSum(keepdims=False)(blocks.Pow(2.0)(name))

    block = Energy()
    block.requires_grad("x")
    with onnxblock.base(mlp_proto):
        value = block("logits")
        training, _ = block.to_model_proto()
    training = onnx.ModelProto.FromString(training.SerializeToString())
    gradient = onnx.ValueInfoProto(name="x_grad")
    training.graph.output.append(gradient)
    feeds = {"x": x, "x_grad.accumulation.buffer": numpy.zeros_like(x)}
    feeds["lazy_reset_grad"] = numpy.array([True])
    session = temper.InferenceSession(training)
    got = session.run(["x_grad"], feeds)[0]
    moved = x.copy()
    moved[2, 1] += 0.01
    sums = [session.run([value], {**feeds, "x": each})[0] for each in (x, moved)]
    assert (float(sums[1]) - float(sums[0])) / 0.01 == pytest.approx(got[2, 1], rel=0.05)


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
        (blocks.Sigmoid(), ["x"], 1 / (1 + numpy.exp(-A))),
        (blocks.Neg(), ["x"], -A),
        (blocks.Abs(), ["x"], abs(A)),
        (blocks.Constant(2.5), [], numpy.array([2.5])),
        (blocks.Clip(), ["x"], A),
        (blocks.Clip(clip_min=-0.5), ["x"], A.clip(-0.5)),
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
    expected = numpy.sqrt((A.astype(float) ** 2).sum() + (B.astype(float) ** 2).sum())
    assert result_of(two, blocks.ReduceAllL2(), "x", "y") == pytest.approx(expected, rel=1e-5)


def test_sequence_construct_and_pass_through(two: Any) -> None:
    with onnxblock.base(two) as accessor:
        assert blocks.PassThrough()("x", "y") == ("x", "y")
        name = blocks.SequenceConstruct()("x", "y")
        node = accessor.model.graph.node[-1]
    assert (node.op_type, list(node.input), list(node.output)) == (
        "SequenceConstruct",
        ["x", "y"],
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
    assert str(caught.value) == "Could not find input or output with name nothing."


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


# 3.4 loss and optim


T = RANDOM.uniform(size=(3, 4)).astype(numpy.float32)
W = numpy.array([0.5, 1, 2, 3], numpy.float32)
SIGMOID = 1 / (1 + numpy.exp(-A.astype(float)))


def bce(positive: Any = 1.0) -> numpy.ndarray:
    return -(positive * T * numpy.log(SIGMOID) + (1 - T) * numpy.log(1 - SIGMOID))


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
    assert model.graph.input[-1].name == "labels"
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
    gradient = numpy.concatenate([state.parameters[n].grad.ravel() for n in names]).astype(float)
    factor = 1.0 if max_norm is None else max_norm / numpy.linalg.norm(gradient)
    optimizer.set_learning_rate(1.0)
    optimizer.step()
    after = module.get_contiguous_parameters(True).numpy()
    numpy.testing.assert_allclose(after, before - factor * gradient, rtol=1e-4, atol=1e-6)


# Blocks as arguments of generate_artifacts


def test_a_block_as_loss_trains_like_the_named_loss(
    mlp_proto: Any, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    losses = []
    for index, chosen in enumerate((LossType.CrossEntropyLoss, loss.CrossEntropyLoss())):
        folder = tmp_path / str(index)
        folder.mkdir()
        generate_artifacts(
            mlp_proto,
            requires_grad=["fc2.weight"],
            loss=chosen,
            optimizer=OptimType.AdamW,
            additional_output_names=["logits"],
            artifact_directory=folder,
        )
        state = api.CheckpointState.load_checkpoint(folder / "checkpoint")
        assert [n for n, p in state.parameters if p.requires_grad] == ["fc2.weight"]
        assert len(state.parameters) == 4
        module = api.Module(folder / "training_model.onnx", state, folder / "eval_model.onnx")
        optimizer = api.Optimizer(folder / "optimizer_model.onnx", module)
        losses.append([])
        for _ in range(5):
            losses[-1].append(float(module(x, labels)[0]))
            optimizer.step()
            module.lazy_reset_grad()
        assert module.output_names()[1:] == ["logits"]
    numpy.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)


def test_a_masked_loss(mlp_proto: Any, x: numpy.ndarray, tmp_path: pathlib.Path) -> None:
    class Masked(onnxblock.Block):
        def build(self, logits: str) -> str:
            each = loss.MSELoss(reduction="none")(logits)
            mask = blocks.InputLike(logits)("mask")
            total = blocks.ReduceSum(keepdims=False)(blocks.Mul()(each, mask))
            return blocks.Div()(total, blocks.ReduceSum(keepdims=False)(mask))

    generate_artifacts(mlp_proto, loss=Masked(), artifact_directory=tmp_path)
    state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = api.Module(tmp_path / "training_model.onnx", state)
    assert module.input_names() == ["x", "target", "mask"]
    mask = numpy.zeros([16, 3], numpy.float32)
    mask[5] = 1
    target = numpy.ones([16, 3], numpy.float32)
    logits = temper.run(mlp_proto, x)["logits"]
    expected = ((logits[5] - 1) ** 2).mean()
    assert float(module(x, target, mask)) == pytest.approx(expected, rel=1e-5)


def test_9_a_scalar_and_a_weighted_loss_of_shape_1_train_together(
    mlp_proto: Any, x: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    class Both(onnxblock.Block):
        def build(self, logits: str) -> str:
            weighted = blocks.Mul()(blocks.Constant(0.5)(), loss.MSELoss()(logits))
            return blocks.Add()(loss.L1Loss()(logits), weighted)

    generate_artifacts(mlp_proto, loss=Both(), artifact_directory=tmp_path)
    state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = api.Module(tmp_path / "training_model.onnx", state)
    target = numpy.ones([16, 3], numpy.float32)
    difference = temper.run(mlp_proto, x)["logits"] - 1
    expected = abs(difference).mean() + 0.5 * (difference**2).mean()
    assert float(module(x, target).item()) == pytest.approx(expected, rel=1e-5)
    assert numpy.abs(state.parameters["fc1.weight"].grad).max() > 0


def test_a_pass_through_keeps_the_models_own_loss(tmp_path: pathlib.Path) -> None:
    class Same(blocks.PassThrough):
        def __call__(self, *names: str) -> Any:
            return self.build(*names)

    model = proto(
        "(float[4] x) => (float[] loss) <float[4] w = {1.0, 2.0, 3.0, 4.0}> "
        "{ y = Mul(x, w) loss = ReduceSum<keepdims = 0>(y) }"
    )
    generate_artifacts(model, requires_grad={"w"}, loss=Same(), artifact_directory=tmp_path)
    state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
    module = api.Module(tmp_path / "training_model.onnx", state)
    assert float(module(numpy.ones(4, numpy.float32))) == 10
    numpy.testing.assert_array_equal(state.parameters["w"].grad, numpy.ones(4))


def test_wrong_blocks_are_refused_before_anything_is_written(
    mlp_proto: Any, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(RuntimeError, match="^A TrainingBlock can't be the loss"):
        generate_artifacts(mlp_proto, loss=Training(), artifact_directory=tmp_path)
    with pytest.raises(TypeError, match="^The optimizer Neg makes no model."):
        generate_artifacts(
            mlp_proto,
            loss=LossType.MSELoss,
            optimizer=blocks.Neg(),
            artifact_directory=tmp_path,
        )
    assert list(tmp_path.iterdir()) == []


# Checkpoints


def test_checkpoints_from_and_to_models(mlp_proto: Any, tmp_path: pathlib.Path) -> None:
    tensors = list(mlp_proto.graph.initializer)
    path = tmp_path / "checkpoint"
    with pytest.raises(RuntimeError, match="^The parameters are None."):
        onnxblock.save_checkpoint(None, path)
    onnxblock.save_checkpoint((tensors[:3], tensors[3:]), path)
    state = api.CheckpointState.load_checkpoint(path)
    assert [p.requires_grad for _, p in state.parameters] == [True, True, False, True]
    state.parameters["fc2.bias"] = numpy.array([7, 8, 9], numpy.float32)
    state.parameters["fc1.bias"] = numpy.zeros(5, numpy.float32)
    api.CheckpointState.save_checkpoint(state, path)
    del mlp_proto.graph.initializer[1]
    assert onnxblock.load_checkpoint_to_model(path, mlp_proto) is None
    values = {t.name: onnx.numpy_helper.to_array(t) for t in mlp_proto.graph.initializer}
    assert list(values) == ["fc1.weight", "fc2.weight", "fc2.bias"]
    numpy.testing.assert_array_equal(values["fc2.bias"], [7, 8, 9])
    onnxblock.save_checkpoint((tensors, []), tmp_path / "nominal", nominal_checkpoint=True)
    with pytest.raises(RuntimeError, match="^A nominal checkpoint has no parameters"):
        onnxblock.load_checkpoint_to_model(tmp_path / "nominal", mlp_proto)


@pytest.mark.parametrize(
    "old, new", [("TrainingModel", "TrainingBlock"), ("building_blocks", "blocks")]
)
def test_old_names_tell_todays(old: str, new: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(onnxblock, old)
    assert str(caught.value) == f"onnxblock.{old} is called onnxblock.{new} today."
