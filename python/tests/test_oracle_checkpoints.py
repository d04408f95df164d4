# SPDX-License-Identifier: Apache-2.0
"""Checkpoints given to the real onnxruntime-training and taken from it."""

from __future__ import annotations

import pathlib

import numpy
import pytest
from oracle import needs_oracle, run_real
from training_program import Program, compare

import temper
from temper.onnxruntime.training import api
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

pytestmark = needs_oracle


@pytest.fixture
def inputs(x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path) -> list[numpy.ndarray]:
    numpy.savez(tmp_path / "data.npz", x=x, labels=labels)
    return [x, labels]


def generate(mlp_path: pathlib.Path, folder: pathlib.Path, optimizer: str) -> None:
    generate_artifacts(
        mlp_path,
        frozen_params=["fc1.bias"],
        loss=LossType.CrossEntropyLoss,
        optimizer=OptimType[optimizer],
        artifact_directory=folder,
        nominal_checkpoint=True,
    )


START = """
import numpy
from onnxruntime.training import api
from training_program import Program
data = numpy.load("data.npz")
inputs = [data["x"], data["labels"]]
"""

SAVE = START + """
program = Program(api, ".")
program.train(inputs, 5, 0.05)
program.save("saved")
"""

CONTINUE = START + """
numpy.savez("theirs.npz", **Program(api, ".", "saved").train(inputs, 5, 0.05))
"""


def continued_alike(folder: pathlib.Path, inputs: list[numpy.ndarray]) -> Program:
    """Both continue from "saved". Returns: ours."""
    run_real(CONTINUE, folder)
    program = Program(api, folder, "saved")
    compare(program.train(inputs, 5, 0.05), dict(numpy.load(folder / "theirs.npz")))
    return program


@pytest.mark.parametrize("optimizer", ["AdamW", "SGD"])
def test_the_real_one_continues_our_checkpoint_with_its_optimizer_state(
    optimizer: str, mlp_path: pathlib.Path, tmp_path: pathlib.Path, inputs: list[numpy.ndarray]
) -> None:
    generate(mlp_path, tmp_path, optimizer)
    program = Program(api, tmp_path)
    program.train(inputs, 5, 0.05)
    program.save(tmp_path / "saved")
    continued_alike(tmp_path, inputs)
    straight = program.train(inputs, 5, 0.05)
    compare(straight, dict(numpy.load(tmp_path / "theirs.npz")))


@pytest.mark.parametrize("optimizer", ["AdamW", "SGD"])
def test_we_continue_a_checkpoint_of_the_real_one_with_its_optimizer_state(
    optimizer: str, mlp_path: pathlib.Path, tmp_path: pathlib.Path, inputs: list[numpy.ndarray]
) -> None:
    generate(mlp_path, tmp_path, optimizer)
    run_real(SAVE, tmp_path)
    program = continued_alike(tmp_path, inputs)
    whole = Program(api, tmp_path).train(inputs, 10, 0.05)
    numpy.testing.assert_allclose(
        program.values()["fc2.weight"], whole["fc2.weight"], rtol=1e-6, atol=1e-6
    )


def test_the_moments_count(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, inputs: list[numpy.ndarray]
) -> None:
    """Without them, what the others compare would differ."""
    generate(mlp_path, tmp_path, "AdamW")
    program = Program(api, tmp_path)
    program.train(inputs, 5, 0.05)
    program.save(tmp_path / "saved", include_optimizer_state=False)
    continued_alike(tmp_path, inputs)
    theirs = dict(numpy.load(tmp_path / "theirs.npz"))
    with pytest.raises(AssertionError):
        compare(program.train(inputs, 5, 0.05), theirs, 1e-4)


NOMINAL = """
import numpy, onnx, onnxruntime
from onnxruntime.training import api, artifacts
from training_program import Program
data = numpy.load("data.npz")
inputs = [data["x"], data["labels"]]
nominal = Program(api, ".", "nominal_checkpoint")
buffer = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.load("buffer.npy"))
nominal.module.copy_buffer_to_parameters(buffer._ortvalue, trainable_only=False)
# one from before has no state, and crashes
nominal.optimizer = api.Optimizer("optimizer_model.onnx", nominal.module)
numpy.savez("theirs.npz", **nominal.train(inputs, 5, 0.05))
parameters = api.CheckpointState.load_checkpoint("nominal_checkpoint").parameters
assert [name in parameters for name in ("fc1.bias", "fc2.weight", "fc9")] == [True, True, False]
artifacts.generate_artifacts(
    onnx.load("mlp.onnx"), requires_grad=["fc1.weight", "fc2.weight", "fc2.bias"],
    frozen_params=["fc1.bias"], loss=artifacts.LossType.CrossEntropyLoss, nominal_checkpoint=True,
    optimizer=artifacts.OptimType.AdamW, artifact_directory="theirs")
"""


def test_nominal_checkpoints_are_exchanged_both_ways(
    mlp: temper.Model, mlp_path: pathlib.Path, tmp_path: pathlib.Path, inputs: list[numpy.ndarray]
) -> None:
    mlp.save(tmp_path / "mlp.onnx")
    (tmp_path / "theirs").mkdir()
    generate(mlp_path, tmp_path, "AdamW")
    full = Program(api, tmp_path)
    buffer = full.module.get_contiguous_parameters(trainable_only=False).numpy()
    numpy.save(tmp_path / "buffer.npy", buffer)
    run_real(NOMINAL, tmp_path)
    expected = full.train(inputs, 5, 0.05)
    compare(dict(numpy.load(tmp_path / "theirs.npz")), expected)
    nominal = Program(api, tmp_path / "theirs", "nominal_checkpoint")
    nominal.module.copy_buffer_to_parameters(buffer, trainable_only=False)
    compare(nominal.train(inputs, 5, 0.05), expected)


LIVE = START + """
program = Program(api, ".")
state = program.state
weight = state.parameters["fc2.weight"]
kept = weight.data
program.train(inputs, 1, 0.05)
weight.grad[1] = 0
before = kept.copy()
program.optimizer.step()
rows = [bool((kept[row] == before[row]).all()) for row in range(3)]
order = [name for name, _ in state.parameters]
frozen = state.parameters["fc1.bias"]
print([rows, order, len(state.parameters), frozen.grad is None, frozen.requires_grad,
       "fc2.bias" in state.parameters, "fc9" in state.parameters, repr(weight)])
"""


def test_views_of_parameters_and_gradients_behave_as_there(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, inputs: list[numpy.ndarray]
) -> None:
    generate(mlp_path, tmp_path, "SGD")
    printed: list[object] = []
    script = LIVE.replace("onnxruntime.training import", "temper.onnxruntime.training import")
    theirs = run_real(LIVE, tmp_path)
    assert run_real(script, tmp_path) == theirs
    printed = eval(theirs)
    assert printed[0] == [False, True, False]
    assert printed[1] == ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]


SCHEDULE = START + """
program = Program(api, ".", "saved")
scheduler = api.LinearLRScheduler(program.optimizer, WARMUP, TOTAL, 0.1)
rates = [program.optimizer.get_learning_rate()]
for step in range(4):
    program.module(*inputs)
    program.optimizer.step()
    scheduler.step()
    rates.append(program.optimizer.get_learning_rate())
print(rates)
"""


def test_1_a_schedule_continues_from_a_checkpoint_as_there(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, inputs: list[numpy.ndarray]
) -> None:
    generate(mlp_path, tmp_path, "AdamW")
    program = Program(api, tmp_path)
    program.train(inputs, 3, 0.05)
    program.save(tmp_path / "saved")
    # the real one takes the two the other way round
    script = SCHEDULE.replace("WARMUP", "10").replace("TOTAL", "4")
    theirs = eval(run_real(script, tmp_path))
    script = SCHEDULE.replace("WARMUP", "4").replace("TOTAL", "10")
    script = script.replace("onnxruntime.training import", "temper.onnxruntime.training import")
    ours = eval(run_real(script, tmp_path))
    numpy.testing.assert_allclose(ours, theirs, atol=1e-9)
    numpy.testing.assert_allclose(ours, [0.075, 0.1, 0.1 * 5 / 6, 0.1 * 4 / 6, 0.05], atol=1e-8)
