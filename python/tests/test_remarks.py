# SPDX-License-Identifier: Apache-2.0
"""What generate_artifacts() says in the log "temper"."""

from __future__ import annotations

import logging
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import temper
from temper.onnxruntime.training.artifacts import LossType, OptimType, generate_artifacts

Lines = Callable[..., list[str]]

NORM = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 2] x) => (float[N, 2] y) <
        float[2] scale = {1.0, 1.0}, float[2] shift = {0.0, 0.0},
        float[2] "bn.running_mean" = {0.0, 0.0}, float[2] "bn.running_var" = {1.0, 1.0}> {
        y = BatchNormalization(x, scale, shift, "bn.running_mean", "bn.running_var")
    }
"""

NEWER = """
    <ir_version: 8, opset_import: ["" : 23]>
    net (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}> { y = MatMul(x, w) }
"""


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, tmp_path: pathlib.Path) -> Lines:
    """The lines of a call, "LEVEL text"."""

    def generate(text: str, **arguments: Any) -> list[str]:
        path = tmp_path / "model.onnx"
        temper.from_text(text).save(path)
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="temper"):
            chosen = {"loss": LossType.MSELoss, "artifact_directory": tmp_path, **arguments}
            generate_artifacts(path, **chosen)
        assert {record.name for record in caplog.records} == {"temper"}
        return [f"{record.levelname} {record.getMessage()}" for record in caplog.records]

    return generate


def block_loss() -> Any:
    pytest.importorskip("onnx")
    from temper.onnxruntime.training import onnxblock

    return onnxblock.loss.MSELoss()


@pytest.mark.parametrize("loss", [lambda: LossType.MSELoss, block_loss])
def test_statistics_that_are_found_are_told(loss: Callable[[], Any], lines: Lines) -> None:
    told = (
        "INFO Running statistics of batch normalizations, which training updates and no gradient "
        "changes: bn.running_mean, bn.running_var."
    )
    assert told in lines(NORM, loss=loss())
    listed = ["bn.running_mean", "bn.running_var"]
    others = lines(NORM, loss=loss(), frozen_params=listed)
    assert not [line for line in others if "Running" in line]


@pytest.mark.parametrize("loss", [lambda: LossType.MSELoss, block_loss])
def test_another_opset_is_told(loss: Callable[[], Any], lines: Lines) -> None:
    told = "INFO The model has opset 23; its artifacts have opset 21."
    assert told in lines(NEWER, loss=loss())
    assert not [line for line in lines(NORM, loss=loss()) if "has opset" in line]


def test_findings_are_told_with_their_severity(lines: Lines) -> None:
    doubled = """
        <ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
            z = MatMul(x, w)
            y = Softmax(z)
        }
    """
    made = temper.artifacts(temper.from_text(doubled), loss="cross-entropy")
    (finding,) = made.findings
    level = {"info": "INFO", "warning": "WARNING"}[finding.severity]
    assert f"{level} {finding}" in lines(doubled, loss=LossType.CrossEntropyLoss)


def test_choices_and_files_are_told(lines: Lines, tmp_path: pathlib.Path) -> None:
    first = lines(NORM, optimizer=OptimType.SGD, prefix="a_")
    assert first[:2] == ["INFO loss: MSELoss", "INFO optimizer: SGD"]
    assert first[-1] == f"INFO The artifacts are written: '{tmp_path}/a_*'."
    second = lines(NORM, optimizer=OptimType.SGD, prefix="a_")
    assert second[-2] == (
        f"INFO Files in '{tmp_path}' are replaced: training_model.onnx, eval_model.onnx, "
        "optimizer_model.onnx, checkpoint."
    )
    named = lines(NORM, loss=block_loss())
    assert named[:2] == ["INFO loss: MSELoss", "INFO optimizer: none is added"]


def test_19_that_only_the_loss_comes_back_is_told(lines: Lines) -> None:
    assert [line for line in lines(NORM) if "additional_output_names" in line]
    more = lines(NORM, additional_output_names=["y"])
    assert not [line for line in more if "additional_output_names" in line]


def test_without_logging_nothing_is_printed(tmp_path: pathlib.Path) -> None:
    temper.from_text(NORM).save(tmp_path / "model.onnx")
    script = (
        "from temper.onnxruntime.training.artifacts import LossType, generate_artifacts\n"
        "generate_artifacts('model.onnx', loss=LossType.CrossEntropyLoss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
