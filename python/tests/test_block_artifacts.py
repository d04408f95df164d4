# SPDX-License-Identifier: Apache-2.0
"""Blocks as arguments of generate_artifacts(); they need the package onnx."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy
import pytest
from conftest import Loop, proto
from oracle import needs_oracle, run_real

import temper
from temper import _temper
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

onnx = pytest.importorskip("onnx")

from temper.onnxruntime.training import onnxblock  # noqa: E402
from temper.onnxruntime.training.onnxblock import _large, blocks, loss, optim  # noqa: E402

FILES = ["checkpoint", "eval_model.onnx", "optimizer_model.onnx", "training_model.onnx"]


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def newer(path: pathlib.Path, opset: int) -> pathlib.Path:
    """A model of a later opset than ONNX Runtime 1.19 trains."""
    temper.from_text(
        f"""<ir_version: 8, opset_import: ["" : {opset}]>
        net (float[N, 4] x) => (float[N, 3] y) <
            float[4, 3] w = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}}> {{ y = MatMul(x, w) }}"""
    ).save(path)
    return path


LOAD = """
import numpy
from onnxruntime.training import api
state = api.CheckpointState.load_checkpoint("checkpoint")
module = api.Module("training_model.onnx", state, "eval_model.onnx")
optimizer = api.Optimizer("optimizer_model.onnx", module)
module(numpy.ones([2, 4], numpy.float32), numpy.zeros([2, 3], numpy.float32))
optimizer.step()
print(state.parameters["w"].data.tolist())
"""


@needs_oracle
@pytest.mark.parametrize("chosen", [LossType.MSELoss, loss.MSELoss()])
@pytest.mark.parametrize("optimizer", [OptimType.AdamW, optim.AdamW()])
def test_20_the_real_one_loads_all_artifacts_of_a_newer_model(
    chosen: Any, optimizer: Any, tmp_path: pathlib.Path
) -> None:
    path = newer(tmp_path / "model.onnx", 23)
    generate_artifacts(path, loss=chosen, optimizer=optimizer, artifact_directory=tmp_path)
    loop = Loop(tmp_path)
    loop.module(numpy.ones([2, 4], numpy.float32), numpy.zeros([2, 3], numpy.float32))
    loop.optimizer.step()
    theirs = numpy.array(eval(run_real(LOAD, tmp_path)))
    numpy.testing.assert_allclose(loop.state.parameters["w"].data, theirs, rtol=1e-6)


@pytest.mark.parametrize("opset", [13, 17, 22, 23])
@pytest.mark.parametrize("chosen", [LossType.MSELoss, loss.MSELoss()])
def test_20_opset_and_ir_version_are_those_that_the_real_one_reads(
    chosen: Any, opset: int, tmp_path: pathlib.Path
) -> None:
    path = newer(tmp_path / "model.onnx", opset)
    generate_artifacts(path, loss=chosen, optimizer=optim.SGD(), artifact_directory=tmp_path)
    for name in ("training", "eval", "optimizer"):
        model = onnx.load(tmp_path / f"{name}_model.onnx")
        assert model.ir_version <= 10
        versions = {each.domain: each.version for each in model.opset_import}
        assert versions[""] == min(opset, 21), name


def test_a_model_by_path_gives_blocks_its_path(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    seen = []

    class Here(loss.MSELoss):
        def build(self, loss_input_name: str, target_name: str = "target") -> str:
            from temper.onnxruntime.training.onnxblock import model_accessor

            seen.append(model_accessor.open_accessor().path)
            return super().build(loss_input_name, target_name)

    for model in (mlp_path, str(mlp_path)):
        generate_artifacts(model, loss=Here(), optimizer=optim.SGD(), artifact_directory=tmp_path)
        by_path = contents(tmp_path)
    assert seen == [str(mlp_path)] * 2
    generate_artifacts(
        onnx.load(mlp_path),
        loss=loss.MSELoss(),
        optimizer=optim.SGD(),
        artifact_directory=tmp_path,
    )
    assert contents(tmp_path) == by_path


def test_a_second_call_with_blocks_writes_the_same_bytes(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    written = []
    for _ in range(2):
        chosen: dict[str, Any] = {"loss": loss.L1Loss(), "optimizer": optim.AdamW()}
        generate_artifacts(mlp_path, artifact_directory=tmp_path, **chosen)
        written.append(contents(tmp_path))
    assert written[0] == written[1]
    assert capfd.readouterr() == ("", "")


def test_an_optimizer_of_ones_own_receives_all_parameters(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    received = []

    class Mine(onnxblock.Block):
        """As ONNX Runtime's test has it: a block that is no ForwardBlock but has one."""

        def __init__(self) -> None:
            self.inner = optim.AdamW(weight_decay=0.5)

        def build(self, parameters: Any) -> Any:
            received.append(parameters)
            return self.inner(parameters)

        def to_model_proto(self) -> Any:
            return self.inner.to_model_proto()

    generate_artifacts(
        mlp_path,
        requires_grad=["fc2.bias", "fc1.weight"],
        frozen_params=["fc2.weight", "fc1.bias"],
        loss=LossType.MSELoss,
        optimizer=Mine(),
        artifact_directory=tmp_path,
    )
    ((trainable, frozen),) = received
    assert [tensor.name for tensor in trainable] == ["fc1.weight", "fc2.bias"]
    assert [tensor.name for tensor in frozen] == ["fc1.bias", "fc2.weight"]
    checkpoint = temper.Checkpoint.load(tmp_path / "checkpoint")
    for tensor in (*trainable, *frozen):
        numpy.testing.assert_array_equal(
            onnx.numpy_helper.to_array(tensor), checkpoint[tensor.name].data
        )
    (node,) = onnx.load(tmp_path / "optimizer_model.onnx").graph.node
    decay = {attribute.name: attribute for attribute in node.attribute}["weight_decay"]
    assert (node.op_type, decay.f) == ("AdamWOptimizer", 0.5)


def test_a_class_instead_of_a_block_is_refused(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(RuntimeError, match="^Unknown loss provided .*\nPass a .*Block instance"):
        generate_artifacts(
            mlp_path, loss=loss.MSELoss, artifact_directory=tmp_path  # type: ignore[arg-type]
        )
    with pytest.raises(TypeError, match="^Unknown optimizer provided .*\nPass a.*Block instance"):
        generate_artifacts(
            mlp_path, optimizer=optim.SGD, artifact_directory=tmp_path  # type: ignore[arg-type]
        )
    assert list(tmp_path.iterdir()) == []


def with_large_weights(path: pathlib.Path) -> pathlib.Path:
    """A model with data beside it, of which some is large for onnxblock in these tests."""
    random = numpy.random.default_rng(0)
    tensors = [
        onnx.numpy_helper.from_array(random.normal(size=shape).astype(numpy.float32), name)
        for name, shape in {"first": (4, 300), "second": (300, 3), "third": (3,)}.items()
    ]
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["h"]),
        helper.make_node("MatMul", ["h", "second"], ["p"]),
        helper.make_node("Add", ["p", "third"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", kind, ["N", 4])
    y = helper.make_tensor_value_info("y", kind, ["N", 3])
    model = helper.make_model(
        helper.make_graph(nodes, "net", [x], [y], tensors),
        opset_imports=[helper.make_opsetid("", 17)],
    )
    model.ir_version = 8
    onnx.save_model(model, str(path), save_as_external_data=True, location="data")
    return path


def test_a_model_of_more_than_2_gib_trains_with_blocks(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_large_weights(tmp_path / "model.onnx")
    chosen: dict[str, Any] = {
        "requires_grad": ["second", "third"],
        "frozen_params": ["first"],
        "loss": loss.MSELoss(),
        "optimizer": optim.AdamW(),
        "additional_output_names": ["h"],
        "artifact_directory": tmp_path,
    }
    generate_artifacts(path, **chosen)
    small = contents(tmp_path)
    monkeypatch.setattr(_large, "LARGEST", 4000)
    sizes = []
    parse = _temper.parse_model

    def counted(data: bytes) -> temper.Model:
        sizes.append(len(data))
        return parse(data)

    monkeypatch.setattr(_temper, "parse_model", counted)
    generate_artifacts(path, **chosen)
    assert max(sizes) < 4000 < len(onnx.load(str(path)).SerializeToString())
    assert contents(tmp_path) == small
    loop = Loop(tmp_path)
    x, target = numpy.ones([2, 4], numpy.float32), numpy.zeros([2, 3], numpy.float32)
    expected = numpy.square(temper.run(path, x)["y"]).mean()
    loss_there = loop.module(x, target)[0]
    assert loss_there == pytest.approx(expected, rel=1e-5)


def test_training_blocks_by_hand_take_models_of_more_than_2_gib(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Training(onnxblock.TrainingBlock):
        def build(self, name: str) -> str:
            return loss.MSELoss()(name)

    path = with_large_weights(tmp_path / "model.onnx")

    def models() -> list[bytes]:
        block = Training()
        block.requires_grad("second")
        with onnxblock.base(onnx.load(str(path))):
            block("y")
            return [model.SerializeToString() for model in block.to_model_proto()]

    small = models()
    monkeypatch.setattr(_large, "LARGEST", 4000)
    assert models() == small


def test_types_are_inferred_in_models_of_more_than_2_gib(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_large, "LARGEST", 4000)

    class Half(onnxblock.ForwardBlock):
        def build(self, name: str) -> str:
            half = blocks.Mul()(blocks.Constant(0.5)(), name)
            typed = self.infer_shapes_on_base()
            found = {value.name: value.type for value in typed.graph.value_info}
            sizes = [dim.dim_value for dim in found[half].tensor_type.shape.dim]
            assert sizes[1:] == [300]
            assert len(typed.graph.initializer) == len(self.base.graph.initializer)
            return half

    block = Half()
    with onnxblock.base(onnx.load(str(with_large_weights(tmp_path / "model.onnx")))):
        name = block("h")
    x = numpy.ones([2, 4], numpy.float32)
    half = temper.run(block.to_model_proto(), x)[name]
    whole = temper.run(tmp_path / "model.onnx", x, outputs="h")["h"]
    numpy.testing.assert_allclose(half, whole / 2, rtol=1e-6)


def test_a_value_that_is_not_there_is_a_lookup_error(mlp_proto: Any) -> None:
    class Wrong(onnxblock.ForwardBlock):
        def build(self, name: str) -> str:
            blocks.Neg()(name)
            return "nothing"

    with onnxblock.base(mlp_proto), pytest.raises(LookupError, match="^The provided name nothing"):
        Wrong()("logits")


def test_cross_entropy_of_a_value_inside_of_the_model(tmp_path: pathlib.Path) -> None:
    model = proto(
        """<ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 4] x) => (float[N, 3] y) <
            float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}> {
            scores = MatMul(x, w)
            y = Softmax(scores)
        }"""
    )

    class Inner(loss.CrossEntropyLoss):
        def build(self, scores_input_name: str, labels_name: str = "labels") -> str:
            return super().build("scores", labels_name)

    generate_artifacts(
        model, loss=Inner(), optimizer=OptimType.AdamW, artifact_directory=tmp_path
    )
    x, labels = numpy.eye(4, dtype=numpy.float32)[:2], numpy.array([0, 2])
    shares = temper.run(model, x)["y"]
    expected = -numpy.log(shares[[0, 1], labels]).mean()
    assert Loop(tmp_path).module(x, labels) == pytest.approx(expected, rel=1e-5)
