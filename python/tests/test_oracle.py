# SPDX-License-Identifier: Apache-2.0
"""The same scripts with the real onnxruntime-training 1.19.2, compared."""

from __future__ import annotations

import json
import pathlib

import numpy
import pytest
from conftest import Loop
from oracle import needs_oracle, run_alone, run_real

import temper
from temper.onnxruntime._gradient_graph import GradientGraphBuilder
from temper.onnxruntime.training import api, artifacts
from temper.onnxruntime.training.api import CheckpointState

TRAIN = """
import json, numpy
from onnxruntime.training import api
data = numpy.load("data.npz")
state = api.CheckpointState.load_checkpoint(CHECKPOINT)
module = api.Module("training_model.onnx", state, "eval_model.onnx")
optimizer = api.Optimizer("optimizer_model.onnx", module)
losses = []
for step in range(10):
    losses.append(float(module(data["x"], data["labels"])[0]))
    optimizer.step()
    module.lazy_reset_grad()
print(json.dumps(losses))
api.CheckpointState.save_checkpoint(state, "trained", include_optimizer_state=True)
"""


@pytest.fixture
def folder(tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray) -> pathlib.Path:
    numpy.savez(tmp_path / "data.npz", x=x, labels=labels)
    return tmp_path


def require_parameters_of(folder: pathlib.Path, loop: Loop) -> None:
    """Those that TRAIN saved."""
    trained = CheckpointState.load_checkpoint(folder / "trained")
    for name, parameter in trained.parameters:
        numpy.testing.assert_allclose(
            loop.state.parameters[name].data, parameter.data, rtol=1e-6, atol=1e-6
        )


def losses_here(
    folder: pathlib.Path, checkpoint: str, x: numpy.ndarray, labels: numpy.ndarray
) -> tuple[list[float], Loop]:
    loop = Loop(folder, checkpoint)
    return [float(loop.step(x, labels)) for _ in range(10)], loop


@needs_oracle
@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_the_real_one_trains_our_artifacts_to_the_same_losses_and_parameters(
    optimizer: str,
    folder: pathlib.Path,
    mlp: temper.Model,
    x: numpy.ndarray,
    labels: numpy.ndarray,
) -> None:
    temper.artifacts(mlp, folder, optimizer=optimizer, extra_outputs=["logits"])
    theirs = json.loads(run_real(TRAIN.replace("CHECKPOINT", "'checkpoint'"), folder))
    ours, loop = losses_here(folder, "checkpoint", x, labels)
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-6)
    require_parameters_of(folder, loop)


GENERATE = """
import onnx
from onnxruntime.training import artifacts
artifacts.generate_artifacts(
    onnx.load("mlp.onnx"),
    requires_grad=["fc1.weight", "fc2.weight", "fc2.bias"],
    frozen_params=["fc1.bias"],
    loss=artifacts.LossType.CrossEntropyLoss,
    optimizer=artifacts.OptimType.AdamW,
    additional_output_names=["logits"],
)
"""


@needs_oracle
def test_our_module_trains_the_real_ones_artifacts_and_continues_its_checkpoint(
    folder: pathlib.Path, mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    mlp.save(folder / "mlp.onnx")
    run_real(GENERATE, folder)
    theirs = json.loads(run_real(TRAIN.replace("CHECKPOINT", "'checkpoint'"), folder))
    ours, loop = losses_here(folder, "checkpoint", x, labels)
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert loop.state.parameters["fc1.bias"].requires_grad is False
    require_parameters_of(folder, loop)
    (folder / "trained").rename(folder / "first")
    theirs = json.loads(run_real(TRAIN.replace("CHECKPOINT", "'first'"), folder))
    ours, loop = losses_here(folder, "first", x, labels)
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-6)
    require_parameters_of(folder, loop)


PROPERTIES = """
import json, numpy
from onnxruntime.training import api
state = api.CheckpointState.load_checkpoint("ours")
before = dict((name, value) for name, value in state.properties)
values = {"int": 7, "bool": True, "float": 0.1, "text": "a", "numpy": numpy.int32(3),
          "double": numpy.float64(0.5), "large": 2**70, "bytes": b"text"}
for name, value in values.items():
    state.properties[name] = value
api.CheckpointState.save_checkpoint(state, "theirs")
print(json.dumps([before, [[name, value] for name, value in state.properties]]))
"""


@needs_oracle
def test_properties_and_checkpoints_are_exchanged_both_ways(
    folder: pathlib.Path, art: pathlib.Path
) -> None:
    state = CheckpointState.load_checkpoint(art / "checkpoint")
    state.properties["epoch"] = 4
    state.properties["rate"] = 0.1
    CheckpointState.save_checkpoint(state, folder / "ours")
    before, after = json.loads(run_real(PROPERTIES, folder))
    assert before == dict(state.properties.items())
    values = {"int": 7, "bool": True, "float": 0.1, "text": "a", "numpy": numpy.int32(3)}
    values.update({"double": numpy.float64(0.5), "large": 2**70, "bytes": b"text"})
    for name, value in values.items():
        state.properties[name] = value
    assert [list(pair) for pair in state.properties] == after
    theirs = CheckpointState.load_checkpoint(folder / "theirs")
    assert list(theirs.properties) == list(state.properties)
    for name, parameter in theirs.parameters:
        numpy.testing.assert_array_equal(parameter.data, state.parameters[name].data)


SCHEDULE = """
import json, numpy
from onnxruntime.training import api
data = numpy.load("data.npz")
state = api.CheckpointState.load_checkpoint("checkpoint")
module = api.Module("training_model.onnx", state)
optimizer = api.Optimizer("optimizer_model.onnx", module)
scheduler = api.LinearLRScheduler(optimizer, 6, 2, 0.1)  # it takes the two the other way round
rates = [optimizer.get_learning_rate()]
for step in range(7):
    module(data["x"], data["labels"])
    optimizer.step()
    scheduler.step()
    rates.append(optimizer.get_learning_rate())
print(json.dumps(rates))
"""


@needs_oracle
def test_1_our_schedule_is_the_real_ones_with_warmup_and_total_swapped_back(
    folder: pathlib.Path, mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    temper.artifacts(mlp, folder, extra_outputs=["logits"])
    theirs = json.loads(run_real(SCHEDULE, folder))
    loop = Loop(folder)
    scheduler = api.LinearLRScheduler(loop.optimizer, 2, 6, 0.1)
    ours = [loop.optimizer.get_learning_rate()]
    for _ in range(7):
        loop.step(x, labels)
        scheduler.step()
        ours.append(loop.optimizer.get_learning_rate())
    numpy.testing.assert_allclose(ours, theirs, atol=1e-9)


@needs_oracle
def test_both_generators_make_artifacts_that_train_alike(
    folder: pathlib.Path, mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    mlp.save(folder / "mlp.onnx")
    run_real(GENERATE, folder)
    theirs, _ = losses_here(folder, "checkpoint", x, labels)
    ours = folder / "ours"
    ours.mkdir()
    artifacts.generate_artifacts(
        folder / "mlp.onnx",
        requires_grad=["fc1.weight", "fc2.weight", "fc2.bias"],
        frozen_params=["fc1.bias"],
        loss=artifacts.LossType.CrossEntropyLoss,
        optimizer=artifacts.OptimType.AdamW,
        additional_output_names=["logits"],
        artifact_directory=ours,
    )
    assert sorted(path.name for path in ours.iterdir()) == [
        "checkpoint",
        "eval_model.onnx",
        "optimizer_model.onnx",
        "training_model.onnx",
    ]
    assert losses_here(ours, "checkpoint", x, labels)[0] == theirs


# The same script for both: they differ in where onnxblock comes from.
BLOCKS = """
import json, numpy, onnx
from PACKAGE.training import artifacts, onnxblock
from onnx import numpy_helper

class Mixed(onnxblock.Block):
    def __init__(self):
        super().__init__()
        self.mse = onnxblock.loss.MSELoss()
        self.l1 = onnxblock.loss.L1Loss(reduction="sum")
    def build(self, name):
        share = onnxblock.blocks.Constant(0.25)()
        clipped = onnxblock.blocks.Clip(-1.0, 1.0)(name)
        first = onnxblock.blocks.Mul()(share, self.mse(name))
        # shape [1] like the first: the real one can't add a scalar (fault 9)
        second = onnxblock.blocks.Mul()(onnxblock.blocks.Constant(1.0)(), self.l1(clipped))
        return onnxblock.blocks.Add()(first, second)

model = onnx.load("mlp.onnx")
before = model.SerializeToString()
artifacts.generate_artifacts(
    model, requires_grad=["fc1.weight", "fc2.bias"], frozen_params=["fc2.weight", "fc1.bias"],
    loss=Mixed(), artifact_directory=FOLDER,
    optimizer=onnxblock.optim.AdamW(weight_decay=0.1, clip_grad=onnxblock.optim.ClipGradNorm(0.5)))
assert model.SerializeToString() == before
"""

TRAIN_BLOCKS = """
import json, numpy
from onnxruntime.training import api
data = numpy.load("data.npz")
results = []
for folder in ("theirs/", "ours/"):
    state = api.CheckpointState.load_checkpoint(folder + "checkpoint")
    module = api.Module(folder + "training_model.onnx", state, folder + "eval_model.onnx")
    optimizer = api.Optimizer(folder + "optimizer_model.onnx", module)
    target = numpy.ones([16, 3], numpy.float32)
    losses = []
    for step in range(10):
        losses.append(numpy.asarray(module(data["x"], target)).item())
        optimizer.step()
        module.lazy_reset_grad()
    results.append([losses, module.get_contiguous_parameters().numpy().tolist()])
print(json.dumps(results))
"""


@needs_oracle
def test_a_loss_of_blocks_and_a_clipping_optimizer_train_alike(
    folder: pathlib.Path, mlp: temper.Model, x: numpy.ndarray
) -> None:
    mlp.save(folder / "mlp.onnx")
    for name, package in (("theirs", "onnxruntime"), ("ours", "temper.onnxruntime")):
        (folder / name).mkdir()
        script = BLOCKS.replace("PACKAGE", package).replace("FOLDER", repr(name))
        run_real(script, folder)
    theirs, ours = json.loads(run_real(TRAIN_BLOCKS, folder))
    numpy.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
    numpy.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6, atol=1e-6)
    for name in ("theirs", "ours"):
        loop = Loop(folder / name)
        losses = []
        for _ in range(10):
            losses.append(loop.module(x, numpy.ones([16, 3], numpy.float32)).item())
            loop.optimizer.step()
            loop.module.lazy_reset_grad()
        numpy.testing.assert_allclose(losses, theirs[0], rtol=1e-6)
        flat = loop.module.get_contiguous_parameters().numpy()
        numpy.testing.assert_allclose(flat, theirs[1], rtol=1e-6, atol=1e-6)


@needs_oracle
@pytest.mark.parametrize("order", ["onnx, onnxruntime, temper", "temper, onnxruntime, onnx"])
def test_onnx_onnxruntime_and_temper_live_in_one_process(
    order: str, folder: pathlib.Path, mlp: temper.Model
) -> None:
    mlp.save(folder / "mlp.onnx")
    script = f"""
import {order}
import numpy
model = onnx.load("mlp.onnx")
before = model.SerializeToString()
x = numpy.ones([2, 4], numpy.float32)
ours = temper.run(model, x)["logits"]
assert model.SerializeToString() == before
theirs = onnxruntime.InferenceSession("mlp.onnx").run(None, {{"x": x}})[0]
numpy.testing.assert_allclose(ours, theirs, rtol=1e-5)
value = onnxruntime.OrtValue.ortvalue_from_numpy(x)
from temper.onnxruntime._gradient_graph import GradientGraphBuilder
from temper.onnxruntime.training import api, artifacts
artifacts.generate_artifacts(model, loss=artifacts.LossType.MSELoss)
state = api.CheckpointState.load_checkpoint("checkpoint")
module = api.Module("training_model.onnx", state)
target = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.zeros([2, 3], numpy.float32))
loss = module(value, target)
assert type(loss) is onnxruntime.OrtValue
numpy.testing.assert_allclose(loss.numpy(), (theirs ** 2).mean(), rtol=1e-5)
buffer = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.ones(43, numpy.float32))
for values in (buffer, buffer._ortvalue):
    module.copy_buffer_to_parameters(values)
assert module.get_contiguous_parameters().numpy().sum() == 43
print("done")
"""
    assert run_alone(script, folder) == "done\n"


GRADIENT = """
from onnxruntime.capi._pybind_state import GradientGraphBuilder
model = open("loss.onnx", "rb").read()
builder = GradientGraphBuilder(model, {"loss"}, {"x", "w"}, "loss")
builder.build()
open("theirs.onnx", "wb").write(builder.get_model())
"""


@needs_oracle
def test_gradient_graphs_compute_the_same_as_the_real_ones(folder: pathlib.Path) -> None:
    model = temper.from_text(
        """<ir_version: 8, opset_import: ["" : 14]>
        net (float[3, 2] x) => (float[] loss) <float[2, 2] w = {0.5, -1.0, 2.0, 0.25}> {
            h = MatMul(x, w)
            s = Sigmoid(h)
            loss = ReduceMean<keepdims = 0>(s)
        }"""
    )
    model.save(folder / "loss.onnx")
    run_real(GRADIENT, folder)
    builder = GradientGraphBuilder(model.to_bytes(), {"loss"}, {"x", "w"}, "loss")
    with pytest.raises(temper.StateError):
        builder.get_model()
    builder.build()
    builder.save(folder / "ours.onnx")
    assert (folder / "ours.onnx").read_bytes() == builder.get_model()
    x = numpy.arange(6, dtype=numpy.float32).reshape(3, 2)
    names = ["x_grad", "w_grad"]
    theirs = temper.run(folder / "theirs.onnx", x, outputs=names)
    ours = temper.run(builder.get_model(), x, outputs=names)
    for name in names:
        numpy.testing.assert_allclose(ours[name], theirs[name], rtol=1e-6)
    w = numpy.array([[0.5, -1], [2, 0.25]])
    sigmoid = 1 / (1 + numpy.exp(-x @ w))
    slope = sigmoid * (1 - sigmoid) / 6
    for results in (ours, theirs):
        numpy.testing.assert_allclose(results["x_grad"], slope @ w.T, rtol=1e-4)
        numpy.testing.assert_allclose(results["w_grad"], x.T @ slope, rtol=1e-4)
