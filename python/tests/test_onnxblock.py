# SPDX-License-Identifier: Apache-2.0
"""onnxblock, class by class; it needs the package onnx."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy
import pytest
from conftest import Loop, gradient, proto

import temper
from temper.onnxruntime.training import api
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

onnx = pytest.importorskip("onnx")

from temper.onnxruntime.training import onnxblock  # noqa: E402
from temper.onnxruntime.training.onnxblock import blocks, loss, optim  # noqa: E402

A = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
B = A**2 - 7


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
        with onnxblock.base(None):  # type: ignore[arg-type]
            pass


def test_an_exception_closes_the_base(mlp_proto: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        with onnxblock.base(mlp_proto):
            raise ZeroDivisionError
    with onnxblock.empty_base():
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
        assert library is path
        with pytest.raises(RuntimeError, match="^Custom op library already exists."):
            with onnxblock.custom_op_library(path):
                pass
    with onnxblock.custom_op_library(str(path)) as library:
        assert library == str(path)


# 3.2 Block classes


def test_a_block_outside_of_a_base_names_what_is_missing() -> None:
    with pytest.raises(temper.Error) as caught:
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


def test_outputs_of_a_forward_block_are_typed_and_those_of_the_open_model(two: Any) -> None:
    class Both(onnxblock.ForwardBlock):
        def build(self, x: str, y: str) -> tuple[str, str]:
            total = blocks.Add()(x, y)
            return total, blocks.ReduceSum(keepdims=False)(total)

    block = Both()
    with onnxblock.base(two) as accessor:
        names = block("x", "y")
        opened = accessor.model.SerializeToString()
    model = block.to_model_proto()
    assert opened == model.SerializeToString()
    assert tuple(output.name for output in model.graph.output) == names
    types = [output.type.tensor_type for output in model.graph.output]
    assert [kind.elem_type for kind in types] == [onnx.TensorProto.FLOAT] * 2
    assert [[dim.dim_value for dim in kind.shape.dim] for kind in types] == [[3, 4], []]
    results = temper.run(model, a=A, b=B)
    numpy.testing.assert_allclose(results[names[1]], (A + B).sum(), rtol=1e-6)


def test_blocks_need_not_call_their_base_class(mlp_proto: Any) -> None:
    class Forward(onnxblock.ForwardBlock):
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def build(self, name: str) -> str:
            return blocks.Mul()(blocks.Constant(self.factor)(), name)

    class Trains(onnxblock.TrainingBlock):
        def __init__(self) -> None:
            self.loss = loss.MSELoss()

        def build(self, name: str) -> str:
            return self.loss(name)

    forward, training = Forward(0.5), Trains()
    for block in (forward, training):
        with pytest.raises(RuntimeError, match="^Please build"):
            block.to_model_proto()
    with onnxblock.base(mlp_proto) as accessor:
        name = forward("logits")
        assert [output.name for output in accessor.model.graph.output] == [name]
        training.requires_grad("fc2.bias")
        training(name)
        trained, frozen = training.parameters()
    assert [tensor.name for tensor in trained] == ["fc2.bias"] and frozen == []


def test_types_of_the_open_model_are_inferred(two: Any) -> None:
    class Product(onnxblock.Block):
        def build(self, x: str, y: str) -> str:
            name = blocks.Mul()(x, y)
            values = {value.name for value in self.base.graph.value_info}
            typed = self.infer_shapes_on_base()
            (found,) = [value for value in typed.graph.value_info if value.name == name]
            assert [dim.dim_value for dim in found.type.tensor_type.shape.dim] == [3, 4]
            assert {value.name for value in self.base.graph.value_info} == values
            return name

    with onnxblock.base(two):
        Product()("x", "y")


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
    for tensor in list(mlp_proto.graph.initializer)[::-1]:
        assert block.requires_grad(tensor.name) is None  # type: ignore[func-returns-value]
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
    logits = numpy.zeros([16, 3])
    for _ in range(20):
        value, logits = module(x, labels)
        losses.append(float(value))
        update.step()
        module.lazy_reset_grad()
    assert losses[-1] < losses[0]
    log = logits.astype(float) - numpy.log(numpy.exp(logits.astype(float)).sum(1, keepdims=True))
    assert losses[-1] == pytest.approx(-log[numpy.arange(16), labels].mean(), rel=1e-5)
    evaluated = module.eval()(x, labels)
    for output, expected in zip(evaluated, module.train()(x, labels), strict=True):
        numpy.testing.assert_allclose(output, expected, rtol=1e-6, atol=1e-6)


def test_a_graph_input_can_require_a_gradient(mlp_proto: Any, x: numpy.ndarray) -> None:
    class Energy(onnxblock.TrainingBlock):
        def build(self, name: str) -> str:
            return blocks.ReduceSum(keepdims=False)(blocks.Pow(2.0)(name))

    fixed, block = Energy(), Energy()
    for each in (fixed, block):
        each.requires_grad("x")
    fixed.requires_grad("x", False)
    fixed.requires_grad("fc2.bias")
    with onnxblock.base(mlp_proto):
        fixed("logits")
        without, _ = fixed.to_model_proto()
    assert "x_grad.accumulation.buffer" not in {each.name for each in without.graph.input}
    with onnxblock.base(mlp_proto):
        value = block("logits")
        training, _ = block.to_model_proto()
    assert "x_grad.accumulation.buffer" in {each.name for each in training.graph.input}
    training = onnx.ModelProto.FromString(training.SerializeToString())
    training.graph.output.append(onnx.ValueInfoProto(name="x_grad"))
    feeds = {"x": x, "x_grad.accumulation.buffer": numpy.zeros_like(x)}
    feeds["lazy_reset_grad"] = numpy.array([True])
    energy, got = temper.InferenceSession(training).run([value, "x_grad"], feeds)
    w = {t.name: onnx.numpy_helper.to_array(t).astype(float) for t in mlp_proto.graph.initializer}
    hidden = x @ w["fc1.weight"].T + w["fc1.bias"]
    logits = numpy.maximum(hidden, 0) @ w["fc2.weight"].T + w["fc2.bias"]
    numpy.testing.assert_allclose(energy, (logits**2).sum(), rtol=1e-5)
    expected = (2 * logits @ w["fc2.weight"] * (hidden > 0)) @ w["fc1.weight"]
    numpy.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


# Blocks as arguments of generate_artifacts


def test_a_block_as_loss_trains_like_the_named_loss(
    mlp_proto: Any, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    losses: list[list[float]] = []
    choices: list[Any] = [LossType.CrossEntropyLoss, loss.CrossEntropyLoss()]
    for index, chosen in enumerate(choices):
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


def test_a_forward_block_as_loss_trains(
    mlp_proto: Any, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    class Loss(onnxblock.ForwardBlock):
        def build(self, logits: str) -> str:
            return loss.CrossEntropyLoss()(logits)

    folders = [tmp_path / name for name in "ab"]
    losses: list[Any] = [Loss(), LossType.CrossEntropyLoss]
    for folder, chosen in zip(folders, losses):
        folder.mkdir()
        generate_artifacts(
            mlp_proto,
            loss=chosen,
            optimizer=OptimType.SGD,
            additional_output_names=["hidden"],
            artifact_directory=folder,
        )
    first, second = (Loop(folder) for folder in folders)
    for _ in range(3):
        outputs, expected = first.module(x, labels), second.module(x, labels)
        numpy.testing.assert_array_equal(outputs[0], expected[0])
        numpy.testing.assert_array_equal(outputs[1], expected[1])
        assert outputs[1].shape == (16, 5)
        first.optimizer.step()
        second.optimizer.step()


def test_a_loss_of_two_outputs_receives_both(two: Any, tmp_path: pathlib.Path) -> None:
    class Weighted(onnxblock.Block):
        def build(self, first: str, second: str) -> str:
            mse, l1 = loss.MSELoss()(first, "t"), loss.L1Loss()(second, "u")
            return blocks.Add()(mse, l1)

    two.graph.initializer.append(
        onnx.numpy_helper.from_array(numpy.array(2, numpy.float32), "w")
    )
    two.graph.node[0].CopyFrom(onnx.helper.make_node("Mul", ["a", "w"], ["x"]))
    for names, values in ((None, (2 * A, B)), (["y", "x"], (B, 2 * A))):
        generate_artifacts(
            two, loss=Weighted(), artifact_directory=tmp_path, loss_input_names=names
        )
        session = temper.Session(tmp_path)
        assert session.input_names == ["a", "b", "t", "u"]
        t, u = numpy.ones_like(A), numpy.full_like(A, 0.5)
        expected = ((values[0] - t) ** 2).mean() + abs(values[1] - u).mean()
        assert session.train_step(A, B, t, u).loss == pytest.approx(expected, rel=1e-5)


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
    slope = (numpy.sign(difference) + difference) / difference.size  # 2 x 0.5 of the weighted one
    got = gradient(state, "fc2.bias")
    numpy.testing.assert_allclose(got, slope.sum(axis=0), rtol=1e-4, atol=1e-6)


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
        onnxblock.save_checkpoint(None, path)  # type: ignore[arg-type]
    onnxblock.save_checkpoint((tensors[:3], tensors[3:]), path)
    state = api.CheckpointState.load_checkpoint(path)
    assert [p.requires_grad for _, p in state.parameters] == [True, True, False, True]
    state.parameters["fc2.bias"] = numpy.array([7, 8, 9], numpy.float32)
    state.parameters["fc1.bias"] = numpy.zeros(5, numpy.float32)
    api.CheckpointState.save_checkpoint(state, path)
    del mlp_proto.graph.initializer[1]
    onnxblock.load_checkpoint_to_model(path, mlp_proto)
    values = {t.name: onnx.numpy_helper.to_array(t) for t in mlp_proto.graph.initializer}
    assert list(values) == ["fc1.weight", "fc2.weight", "fc2.bias"]
    numpy.testing.assert_array_equal(values["fc2.bias"], [7, 8, 9])
    onnxblock.save_checkpoint((tensors, []), tmp_path / "nominal", nominal_checkpoint=True)
    nominal = api.CheckpointState.load_checkpoint(tmp_path / "nominal").parameters
    assert nominal.keys() == ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]
    with pytest.raises(RuntimeError, match="nominal state"):
        nominal["fc2.bias"].data
    with pytest.raises(RuntimeError, match="^A nominal checkpoint has no parameters"):
        onnxblock.load_checkpoint_to_model(tmp_path / "nominal", mlp_proto)


@pytest.mark.parametrize(
    "old, new", [("TrainingModel", "TrainingBlock"), ("building_blocks", "blocks")]
)
def test_old_names_tell_todays(old: str, new: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(onnxblock, old)
    assert str(caught.value) == f"onnxblock.{old} is called onnxblock.{new} today."
