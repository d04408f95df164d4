# SPDX-License-Identifier: Apache-2.0
"""What most programs that use ONNX Runtime's training consist of."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy

from temper.onnxruntime.training import api, artifacts


class Training:
    """What the last lines of most programs have."""

    def __init__(self, folder: pathlib.Path, rate: float = 0.01) -> None:
        self.state = api.CheckpointState.load_checkpoint(folder / "checkpoint")
        self.module = api.Module(
            folder / "training_model.onnx", self.state, folder / "eval_model.onnx"
        )
        self.optimizer = api.Optimizer(folder / "optimizer_model.onnx", self.module)
        self.optimizer.set_learning_rate(rate)

    def step(self, *inputs: numpy.ndarray) -> float:
        outputs = self.module(*inputs)
        self.optimizer.step()
        self.module.lazy_reset_grad()
        return float(outputs[0] if isinstance(outputs, tuple) else outputs)

    def steps(self, count: int, *inputs: numpy.ndarray) -> list[float]:
        return [self.step(*inputs) for _ in range(count)]

    def values(self) -> dict[str, numpy.ndarray]:
        return {name: parameter.data.copy() for name, parameter in self.state.parameters}


def generate(model: Any, folder: pathlib.Path, **arguments: Any) -> pathlib.Path:
    options = {
        "loss": artifacts.LossType.CrossEntropyLoss,
        "optimizer": artifacts.OptimType.AdamW,
        "artifact_directory": str(folder),
        **arguments,
    }
    artifacts.generate_artifacts(model, **options)
    return folder
