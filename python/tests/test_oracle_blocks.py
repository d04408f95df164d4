# SPDX-License-Identifier: Apache-2.0
"""onnxblock there and here: models that compute, train and save the same."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy
import pytest
from oracle import needs_oracle, run_real
from training_program import Program, compare

import temper
from temper.onnxruntime.training import api

onnx = pytest.importorskip("onnx")
from block_programs import FEEDS, LABEL_ENCODERS, builds  # noqa: E402

from temper.onnxruntime.training import onnxblock  # noqa: E402

pytestmark = needs_oracle

FORWARD = """
import os, numpy, onnxruntime
import onnxruntime.training.onnxblock as theirs
import temper.onnxruntime.training.onnxblock as ours
import block_programs as programs
for name, package in (("theirs", theirs), ("ours", ours)):
    os.mkdir(name)
    chosen = programs.builds(package.blocks, package.loss)
    for kind, arguments in programs.LABEL_ENCODERS.items():
        chosen[f"LabelEncoder {kind}"] = (
            lambda _, arguments=arguments: package.blocks.LabelEncoder(**arguments)("z"))
    programs.forward_models(package, name, chosen)
    results = {}
    for kind in chosen:
        session = onnxruntime.InferenceSession(f"{name}/{kind}.onnx")
        feeds = {value.name: programs.FEEDS[value.name] for value in session.get_inputs()}
        (results[kind],) = session.run(None, feeds)
    numpy.savez(name + ".npz", **{name: value.astype(value.dtype.str if value.dtype != object
                                  else str) for name, value in results.items()})
"""


def test_forward_blocks_of_both_compute_the_same_in_both(tmp_path: pathlib.Path) -> None:
    run_real(FORWARD, tmp_path)
    theirs, ours = (dict(numpy.load(tmp_path / f"{name}.npz")) for name in ("theirs", "ours"))
    encoders = [f"LabelEncoder {kind}" for kind in LABEL_ENCODERS]
    assert list(ours) == list(theirs) == [*builds(onnxblock.blocks, onnxblock.loss), *encoders]
    for name, expected in theirs.items():
        assert (ours[name].shape, ours[name].dtype) == (expected.shape, expected.dtype), name
        if "texts" in name:
            assert ours[name].tolist() == expected.tolist() == ["one", "two", "?"]
            continue
        numpy.testing.assert_allclose(ours[name], expected, rtol=1e-6, err_msg=name)
        if name in encoders:
            continue  # the engine has no kernel of it
        for folder in ("theirs", "ours"):
            model = temper.open(tmp_path / folder / f"{name}.onnx")
            feeds = {value.name: FEEDS[value.name] for value in model.inputs}
            (result,) = temper.run(model, feeds).values()
            numpy.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7, err_msg=name)


OPTIMIZERS = {
    "SGD": "optim.SGD()",
    "SGD clipping": "optim.SGD(clip_grad=optim.ClipGradNorm(0.05))",
    "AdamW": "optim.AdamW()",
    "AdamW uncorrected": "optim.AdamW(bias_correction=False)",
    "AdamW all": "optim.AdamW(True, (0.8, 0.95), 1e-3, 0.1, optim.ClipGradNorm(0.05))",
}

BY_HAND = """
import os, numpy, onnx
import onnxruntime.training.onnxblock as theirs
import temper.onnxruntime.training.onnxblock as ours
from onnxruntime.training import api
from block_programs import four_files
from training_program import Program
data = numpy.load("data.npz")
inputs = [data["x"], data["labels"]]
for name, package in (("theirs", theirs), ("ours", ours)):
    os.mkdir(name)
    optim = package.optim
    four_files(package, onnx.load("mlp.onnx"), name, OPTIMIZER, "CrossEntropyLoss")
    numpy.savez(name + ".npz", **Program(api, name).train(inputs, 10, 0.05))
"""


@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
def test_four_files_by_hand_train_alike_here_and_there(
    optimizer: str,
    mlp: temper.Model,
    x: numpy.ndarray,
    labels: numpy.ndarray,
    tmp_path: pathlib.Path,
) -> None:
    mlp.save(tmp_path / "mlp.onnx")
    numpy.savez(tmp_path / "data.npz", x=x, labels=labels)
    run_real(BY_HAND.replace("OPTIMIZER", OPTIMIZERS[optimizer]), tmp_path)
    theirs = dict(numpy.load(tmp_path / "theirs.npz"))
    assert theirs["losses"][-1] < theirs["losses"][0]
    compare(dict(numpy.load(tmp_path / "ours.npz")), theirs)
    for folder in ("theirs", "ours"):
        compare(Program(api, tmp_path / folder).train([x, labels], 10, 0.05), theirs)
    for kind in ("checkpoint", "nominal_checkpoint"):
        for folder in ("theirs", "ours"):
            state = api.CheckpointState.load_checkpoint(tmp_path / folder / kind)
            names = ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]
            assert list(state.parameters.keys()) == names


ENCODED = """
import os, numpy, onnx
import onnxruntime.training.onnxblock as theirs
import temper.onnxruntime.training.onnxblock as ours
from onnxruntime.training import api, artifacts
from temper.onnxruntime.training import artifacts as our_artifacts
from block_programs import encoded_artifacts
from training_program import Program
data = numpy.load("data.npz")
inputs = [data["x"], data["labels"] * 10 + 10]
for name, package, make in (("theirs", theirs, artifacts), ("ours", ours, our_artifacts)):
    os.mkdir(name)
    encoded_artifacts(package, make, onnx.load("mlp.onnx"), name)
    program = Program(api, name)
    assert program.module.input_names() == ["x", "codes"]
    numpy.savez(name + ".npz", **program.train(inputs, 5, 0.05))
"""


def test_the_output_of_a_label_encoder_can_be_the_labels_there(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    mlp.save(tmp_path / "mlp.onnx")
    numpy.savez(tmp_path / "data.npz", x=x, labels=labels)
    run_real(ENCODED, tmp_path)
    theirs, ours = (dict(numpy.load(tmp_path / f"{name}.npz")) for name in ("theirs", "ours"))
    compare(ours, theirs)
    temper.artifacts(mlp, tmp_path / "plain")
    plain = Program(api, tmp_path / "plain").train([x, labels], 5, 0.05)
    numpy.testing.assert_allclose(ours["losses"], plain["losses"], rtol=1e-6)


INTO_MODEL = """
import onnx
from PACKAGE.training import onnxblock
model = onnx.load("mlp.onnx")
del model.graph.initializer[1]
onnxblock.load_checkpoint_to_model("checkpoint", model)
for tensor in model.graph.initializer:
    print(tensor.name, list(tensor.dims), onnx.numpy_helper.to_array(tensor).tolist())
"""


@pytest.mark.parametrize("written_by", ["theirs", "ours"])
def test_checkpoints_of_both_are_loaded_into_models_by_both(
    written_by: str, mlp: temper.Model, art: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    mlp.save(tmp_path / "mlp.onnx")
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    state.parameters["fc2.bias"] = numpy.array([7, 8, 9], numpy.float32)
    api.CheckpointState.save_checkpoint(state, tmp_path / "checkpoint")
    if written_by == "theirs":
        run_real(
            "from onnxruntime.training.api import CheckpointState as State\n"
            "State.save_checkpoint(State.load_checkpoint('checkpoint'), 'checkpoint')",
            tmp_path,
        )
    printed = [
        run_real(INTO_MODEL.replace("PACKAGE", package), tmp_path)
        for package in ("onnxruntime", "temper.onnxruntime")
    ]
    assert printed[0] == printed[1]
    assert printed[0].splitlines()[-1] == "fc2.bias [3] [7.0, 8.0, 9.0]"


CUBES = """
import os, numpy, onnx
from onnx import helper, numpy_helper, TensorProto
from onnxruntime.training import api, artifacts
w = numpy_helper.from_array(numpy.load("w.npy"), "w")
def model(rows):
    return helper.make_model(helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["scores"])], "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, rows, 4])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [2, rows, 5])], [w]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
for rows in (5, 3):
    onnx.save(model(rows), f"{rows}.onnx")
    artifacts.generate_artifacts(model(rows), requires_grad=["w"], prefix=f"{rows}_",
                                 loss=artifacts.LossType.CrossEntropyLoss)
    state = api.CheckpointState.load_checkpoint(f"{rows}_checkpoint")
    module = api.Module(f"{rows}_training_model.onnx", state)
    x = numpy.load("x.npy")[:, :rows]
    for shape in ((2, 3), (2, 5)):
        try:
            print(rows, shape[1], float(module(x, numpy.zeros(shape, numpy.int64))))
        except RuntimeError as error:
            print(rows, shape[1], "refused")
"""


def test_labels_of_cross_entropy_lack_the_dimension_that_the_operator_reads(
    tmp_path: pathlib.Path,
) -> None:
    """The real one declares them without the last dimension; its operator wants another shape."""
    x = numpy.random.default_rng(6).normal(size=(2, 5, 4)).astype(numpy.float32)
    numpy.save(tmp_path / "x.npy", x)
    w = numpy.random.default_rng(7).normal(size=(4, 5)).astype(numpy.float32)
    numpy.save(tmp_path / "w.npy", w)
    printed = [line.split() for line in run_real(CUBES, tmp_path).splitlines()]
    theirs = {(int(rows), int(labels)): result for rows, labels, result in printed}
    assert [key for key, result in theirs.items() if result != "refused"] == [(5, 5)]
    from temper.onnxruntime.training import artifacts

    chosen: list[Any] = [artifacts.LossType.CrossEntropyLoss, onnxblock.loss.CrossEntropyLoss()]
    for loss in chosen:
        for rows in (5, 3):
            artifacts.generate_artifacts(
                tmp_path / f"{rows}.onnx",
                requires_grad=["w"],
                loss=loss,
                artifact_directory=tmp_path,
            )
            state = api.CheckpointState.load_checkpoint(tmp_path / "checkpoint")
            module = api.Module(tmp_path / "training_model.onnx", state)
            result = float(module(x[:, :rows], numpy.zeros([2, 5], numpy.int64)))
            # the classes are the second dimension
            scores = (x[:, :rows] @ w).astype(float)
            log = scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))
            assert result == pytest.approx(-log[:, 0].mean(), rel=1e-5)
            if rows == 5:
                assert result == pytest.approx(float(theirs[5, 5]), rel=1e-6)
