# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.api.optimizer"""

from __future__ import annotations

import os

from temper import _temper
from temper._files import existing
from temper.onnxruntime.training.api.module import Module

__all__ = ["Optimizer"]


class Optimizer:
    """Updates the parameters of a module, which it keeps, from their gradients.

    The learning rate is 0.001 at first; it is not in the checkpoint.

    >>> import numpy
    >>> from temper.onnxruntime.training import api
    >>> state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    >>> module = api.Module(art / "training_model.onnx", state)
    >>> optimizer = api.Optimizer(art / "optimizer_model.onnx", module)
    >>> optimizer.set_learning_rate(0.25)
    >>> for step in range(3):
    ...     loss, logits = module(numpy.zeros([8, 4], "float32"), numpy.zeros([8], "int64"))
    ...     optimizer.step()
    ...     module.lazy_reset_grad()
    >>> optimizer.get_learning_rate()
    0.25
    """

    def __init__(self, optimizer_uri: str | os.PathLike[str], module: Module) -> None:
        path = existing(optimizer_uri, "optimizer model")
        self._optimizer = _temper.Optimizer(path, module._session)

    def step(self) -> None:
        """Updates the parameters."""
        self._optimizer.step()

    def set_learning_rate(self, learning_rate: float) -> None:
        """Sets the rate of the following steps."""
        self._optimizer.set_learning_rate(learning_rate)

    def get_learning_rate(self) -> float:
        """The rate, as float32 holds it."""
        return self._optimizer.learning_rate()
