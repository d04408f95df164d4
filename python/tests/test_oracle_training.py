# SPDX-License-Identifier: Apache-2.0
"""generate_artifacts() with each loss and optimizer, compared with the real one in training."""

from __future__ import annotations

import pathlib

import numpy
import pytest
from oracle import needs_oracle, run_real
from training_program import Arrays, Program, compare

import temper
from temper.onnxruntime.training import api, artifacts

pytestmark = needs_oracle

TRAINED = ["fc2.bias", "fc1.weight", "fc2.weight"]
FROZEN = ["fc1.bias"]

# Odd: the signs that L1's gradient adds up then are never a sum of zero, of which AdamW, which
# divides by the gradient's size, would take the rounding for a direction.
ROWS = 15

GENERATE_AND_TRAIN = """
import os, numpy, onnx
from onnxruntime.training import api, artifacts
from training_program import Program
os.mkdir("theirs")
artifacts.generate_artifacts(
    onnx.load("mlp.onnx"), requires_grad=TRAINED, frozen_params=FROZEN,
    loss=artifacts.LossType["LOSS"], optimizer=artifacts.OptimType["OPTIMIZER"],
    additional_output_names=["logits"], artifact_directory="theirs")
data = numpy.load("data.npz")
inputs = [data["x"], data["target"]]
for name in ("theirs", "ours"):
    program = Program(api, name)
    numpy.savez(name + ".npz", **program.train(inputs, 10, 0.05))
    numpy.savez(name + "_outputs.npz", *program.evaluate(inputs))
"""


def target_of(loss: str) -> numpy.ndarray:
    random = numpy.random.default_rng(8)
    if loss == "CrossEntropyLoss":
        return random.integers(0, 3, ROWS)
    if loss == "BCEWithLogitsLoss":
        return random.uniform(size=(ROWS, 3)).astype(numpy.float32)
    return random.normal(size=(ROWS, 3)).astype(numpy.float32)


def arrays(path: pathlib.Path) -> Arrays:
    return dict(numpy.load(path))


@pytest.mark.parametrize("optimizer", [each.name for each in artifacts.OptimType])
@pytest.mark.parametrize("loss", [each.name for each in artifacts.LossType])
def test_losses_gradients_and_parameters_are_those_of_the_real_one(
    loss: str, optimizer: str, mlp: temper.Model, x: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    mlp.save(tmp_path / "mlp.onnx")
    inputs = [x[:ROWS], target_of(loss)]
    numpy.savez(tmp_path / "data.npz", x=inputs[0], target=inputs[1])
    (tmp_path / "ours").mkdir()
    artifacts.generate_artifacts(
        tmp_path / "mlp.onnx",
        requires_grad=TRAINED,
        frozen_params=FROZEN,
        loss=artifacts.LossType[loss],
        optimizer=artifacts.OptimType[optimizer],
        additional_output_names=["logits"],
        artifact_directory=tmp_path / "ours",
    )
    script = GENERATE_AND_TRAIN.replace("LOSS", loss).replace("OPTIMIZER", optimizer)
    script = script.replace("TRAINED", str(TRAINED)).replace("FROZEN", str(FROZEN))
    run_real(script, tmp_path)
    theirs = arrays(tmp_path / "theirs.npz")
    assert theirs["losses"][-1] < theirs["losses"][0]
    compare(arrays(tmp_path / "ours.npz"), theirs)  # our artifacts there
    for name in ("theirs", "ours"):
        program = Program(api, tmp_path / name)
        compare(program.train(inputs, 10, 0.05), theirs)
        outputs = program.evaluate(inputs)
        expected = arrays(tmp_path / "theirs_outputs.npz").values()
        for output, wanted in zip(outputs, expected, strict=True):
            numpy.testing.assert_allclose(output, wanted, rtol=1e-6, atol=1e-6)
