# SPDX-License-Identifier: Apache-2.0
"""as_onnxruntime_training() beside the genuine onnxruntime, and what goes between the two."""

from __future__ import annotations

import pathlib

import numpy
from conftest import Loop
from oracle import needs_oracle, run_alone, run_real

import temper
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

pytestmark = needs_oracle

# PyTorch, which the genuine package imports, is not installed; its modules do without.
IMPORTABLE = """
import os, sys, types, onnxruntime
package = types.ModuleType("onnxruntime.training")
package.__path__ = [os.path.join(os.path.dirname(onnxruntime.__file__), "training")]
sys.modules["onnxruntime.training"] = package
"""

DEFAULT = """
import temper
real = temper.as_onnxruntime_training()
import onnxruntime
from onnxruntime.training import api, artifacts
import onnxruntime.training.onnxblock as onnxblock
print(real.__temper__, api.Module.__module__, onnxblock.Block.__module__)
forced = temper.as_onnxruntime_training(force=True)
from onnxruntime.training import api, artifacts
from onnxruntime.training.api.checkpoint_state import CheckpointState
import onnxruntime.training.onnxblock as onnxblock
print(forced.__temper__, api.Module.__module__, onnxblock.Block.__module__)
print(CheckpointState.__module__, onnxruntime.training is forced, onnxruntime.__version__)
"""

OURS = "temper.onnxruntime.training."


def test_the_genuine_one_is_left_alone_unless_forced(tmp_path: pathlib.Path) -> None:
    lines = run_alone(IMPORTABLE + DEFAULT, tmp_path).splitlines()
    theirs = "onnxruntime.training."
    assert lines == [
        f"False {theirs}api.module {theirs}onnxblock.blocks",
        f"True {OURS}api.module {OURS}onnxblock.blocks",
        f"{OURS}api.checkpoint_state True 1.19.2",
    ]


TRAIN = """
import numpy, onnx, temper
temper.as_onnxruntime_training(FORCE)
import onnxruntime
from onnxruntime.capi import _pybind_state
from onnxruntime.training import api, artifacts
onnxruntime.set_seed(3)
artifacts.generate_artifacts(
    onnx.load("mlp.onnx"), loss=artifacts.LossType.CrossEntropyLoss,
    optimizer=artifacts.OptimType.AdamW, additional_output_names=["logits"])
state = api.CheckpointState.load_checkpoint("checkpoint")
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
module = api.Module("training_model.onnx", state, "eval_model.onnx", session_options=options)
optimizer = api.Optimizer("optimizer_model.onnx", module)
x, labels = numpy.load("x.npy"), numpy.load("labels.npy")
value = onnxruntime.OrtValue.ortvalue_from_numpy
for step in range(2):
    outputs = module(value(x), value(labels))
    assert [type(each) for each in outputs] == [onnxruntime.OrtValue] * 2
    mixed = module(x, value(labels))
    assert type(mixed[0]) is numpy.ndarray and float(mixed[0]) == float(outputs[0].numpy())
    optimizer.step()
    module.lazy_reset_grad()
module.eval()
loss, logits = module(value(x), value(labels))
assert type(logits) is onnxruntime.OrtValue
buffer = module.get_contiguous_parameters()
flat = buffer.numpy().copy()
module.copy_buffer_to_parameters(buffer)
module.copy_buffer_to_parameters(value(flat)._ortvalue)
module.export_model_for_inferencing("inference.onnx", ["logits"])
plain = onnxruntime.InferenceSession("inference.onnx").run(None, {"x": x})[0]
numpy.testing.assert_allclose(plain, logits.numpy(), rtol=1e-5, atol=1e-6)
options = onnxruntime.SessionOptions()
options.enable_profiling = True
try:
    api.Module("training_model.onnx", state, session_options=options)
except RuntimeError as error:
    print(type(error).__name__)
print(api.Module.__module__, float(loss.numpy()))
print("cpu" in _pybind_state.get_available_providers()[-1].lower(), _pybind_state.OrtDevice.cpu())
print(_pybind_state.GradientGraphBuilder.__module__)
"""


def test_with_the_genuine_onnxruntime_installed_ours_trains(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    """By default since the genuine training package can't be imported without PyTorch."""
    mlp.save(tmp_path / "mlp.onnx")
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "labels.npy", labels)
    printed = [
        run_alone(start + TRAIN.replace("FORCE", force), tmp_path).splitlines()
        for start, force in (("", ""), (IMPORTABLE, "force=True"))
    ]
    assert printed[0] == printed[1]
    assert printed[0][0] == "UnsupportedError"
    assert printed[0][1].startswith(f"{OURS}api.module ")
    assert printed[0][2:] == ["True 0", "temper.onnxruntime._gradient_graph"]


NORM = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 2] x) => (float[N, 2] y) <
        float[2] scale = {1.0, 1.5}, float[2] shift = {0.0, 0.5},
        float[2] running_mean = {0.0, 0.25}, float[2] running_var = {1.0, 2.0}> {
        y, mean, var = BatchNormalization<training_mode = 1>(
            x, scale, shift, running_mean, running_var)
    }
"""

GENERATE_NORM = """
import onnx
from onnxruntime.training import artifacts
artifacts.generate_artifacts(
    onnx.load("norm.onnx"), requires_grad=["scale", "shift"],
    frozen_params=["running_mean", "running_var"], loss=artifacts.LossType.MSELoss,
    optimizer=artifacts.OptimType.SGD, artifact_directory="theirs")
print([len(node.output) for node in onnx.load("theirs/eval_model.onnx").graph.node
       if node.op_type == "BatchNormalization"])
"""

RUN_NORM = """
import json, numpy
from onnxruntime.training import api
x, target = numpy.load("x.npy"), numpy.load("target.npy")
state = api.CheckpointState.load_checkpoint("checkpoint")
module = api.Module("training_model.onnx", state, "eval_model.onnx")
optimizer = api.Optimizer("optimizer_model.onnx", module)
optimizer.set_learning_rate(0.1)
losses = []
for step in range(5):
    losses.append(float(module(x, target)))
    optimizer.step()
    module.lazy_reset_grad()
module.eval()
losses.append(float(module(x, target)))
print(json.dumps([losses, {name: value.data.tolist() for name, value in state.parameters}]))
"""


def test_10_batch_normalization_trains_and_evaluates_here_and_there(
    tmp_path: pathlib.Path,
) -> None:
    """The eval model that the real one writes is one that only we load."""
    temper.from_text(NORM).save(tmp_path / "norm.onnx")
    x = numpy.random.default_rng(4).normal(1, 2, size=(6, 2)).astype(numpy.float32)
    target = numpy.ones([6, 2], numpy.float32)
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "target.npy", target)
    (tmp_path / "theirs").mkdir()
    assert run_real(GENERATE_NORM, tmp_path) == "[3]\n"
    generate_artifacts(
        tmp_path / "norm.onnx",
        loss=LossType.MSELoss,
        optimizer=OptimType.SGD,
        artifact_directory=tmp_path,
    )
    expected, values = eval(run_real(RUN_NORM, tmp_path))
    for folder in (tmp_path, tmp_path / "theirs"):
        loop = Loop(folder)
        loop.optimizer.set_learning_rate(0.1)
        losses = []
        for _ in range(5):
            losses.append(float(loop.module(x, target)))
            loop.optimizer.step()
            loop.module.lazy_reset_grad()
        loop.module.eval()
        losses.append(float(loop.module(x, target)))
        numpy.testing.assert_allclose(losses, expected, rtol=1e-6)
        assert [name for name, _ in loop.state.parameters] == list(values)
        for name, value in loop.state.parameters:
            numpy.testing.assert_allclose(value.data, values[name], rtol=1e-6, atol=1e-6)


FORMAT = """
import numpy
from onnxruntime.training import api
state = api.CheckpointState.load_checkpoint("checkpoint")
module = api.Module("training_model.ort", state, "eval_model.ort")
optimizer = api.Optimizer("optimizer_model.ort", module)
x, labels = numpy.load("x.npy"), numpy.load("labels.npy")
losses = []
for step in range(3):
    losses.append(float(module(x, labels)))
    optimizer.step()
    module.lazy_reset_grad()
print(losses)
"""


def test_files_in_ort_format_train_here_and_there(
    mlp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "labels.npy", labels)
    generate_artifacts(
        mlp_path,
        loss=LossType.CrossEntropyLoss,
        optimizer=OptimType.AdamW,
        artifact_directory=tmp_path,
        ort_format=True,
    )
    files = {path.name for path in tmp_path.iterdir()}
    for name in ("training_model", "eval_model", "optimizer_model"):
        assert {f"{name}.ort", f"{name}.required_operators.config"} <= files
        operators = (tmp_path / f"{name}.required_operators.config").read_text()
        assert {"eval_model": "ai.onnx;", "optimizer_model": "com.microsoft;"}.get(
            name, "InPlaceAccumulatorV2"
        ) in operators
    theirs = eval(run_real(FORMAT, tmp_path))
    ours = run_real(FORMAT.replace("onnxruntime.training", OURS[:-1], 1), tmp_path)
    numpy.testing.assert_allclose(eval(ours), theirs, rtol=1e-6)
    assert theirs[-1] < theirs[0]
