# SPDX-License-Identifier: Apache-2.0
"""A training loop for the modules ``api`` of ONNX Runtime and of Temper alike."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy

Arrays = dict[str, numpy.ndarray[Any, Any]]


class Program:
    """A module with its state and optimizer, in a folder of artifacts."""

    def __init__(self, api: Any, folder: Any, checkpoint: str = "checkpoint") -> None:
        self.api = api
        self.folder = pathlib.Path(folder)
        self.state = api.CheckpointState.load_checkpoint(self.folder / checkpoint)
        self.module = api.Module(
            self.folder / "training_model.onnx", self.state, self.folder / "eval_model.onnx"
        )
        self.optimizer = api.Optimizer(self.folder / "optimizer_model.onnx", self.module)

    def train(self, inputs: list[Any], steps: int, rate: float) -> Arrays:
        """Losses by step, gradients of the last step, parameters after it, the flat buffers."""
        self.optimizer.set_learning_rate(rate)
        losses = []
        gradients: Arrays = {}
        for _ in range(steps):
            self.module.lazy_reset_grad()
            outputs = self.module(*inputs)
            loss = outputs[0] if isinstance(outputs, tuple) else outputs
            losses.append(numpy.asarray(loss).item())
            gradients = self.gradients()
            self.optimizer.step()
        return {"losses": numpy.array(losses), **gradients, **self.values()}

    def gradients(self) -> Arrays:
        trained = {name: value for name, value in self.state.parameters if value.requires_grad}
        return {f"gradient of {name}": value.grad.copy() for name, value in trained.items()}

    def values(self) -> Arrays:
        """The parameters: by name, and as flat buffers."""
        values = {name: value.data.copy() for name, value in self.state.parameters}
        for only in (False, True):
            buffer = self.module.get_contiguous_parameters(trainable_only=only)
            values[f"buffer, trainable only: {only}"] = buffer.numpy().copy()
            assert self.module.get_parameters_size(only) == buffer.numpy().size
        return values

    def evaluate(self, inputs: list[Any]) -> list[numpy.ndarray[Any, Any]]:
        self.module.eval()
        outputs = self.module(*inputs)
        self.module.train()
        return list(outputs) if isinstance(outputs, tuple) else [outputs]

    def save(self, path: Any, include_optimizer_state: bool = True) -> None:
        self.api.CheckpointState.save_checkpoint(self.state, path, include_optimizer_state)


def compare(ours: Arrays, theirs: Arrays, tolerance: float = 1e-6) -> None:
    """Losses by relative difference; parameters and gradients by absolute difference below 1.

    Both add float32 products in orders of their own, so that the last bits of sums differ: numbers
    near zero, which are differences of larger ones, are equal to that order only absolutely.
    """
    assert list(ours) == list(theirs)
    for name, expected in theirs.items():
        absolute = 0 if name == "losses" else tolerance
        numpy.testing.assert_allclose(
            ours[name], expected, rtol=tolerance, atol=absolute, err_msg=name
        )
