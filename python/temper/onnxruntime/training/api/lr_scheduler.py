# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.api.lr_scheduler"""

from __future__ import annotations

from temper import _temper
from temper.onnxruntime.training.api.optimizer import Optimizer

__all__ = ["LinearLRScheduler"]


class LinearLRScheduler:
    """The learning rate rises from 0 to ``initial_lr`` in ``warmup_step_count`` optimizer steps,
    then falls to 0 at ``total_step_count``. Call step() after each optimizer step.

    >>> from temper.onnxruntime.training import api
    >>> state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    >>> module = api.Module(art / "training_model.onnx", state)
    >>> optimizer = api.Optimizer(art / "optimizer_model.onnx", module)
    >>> scheduler = api.LinearLRScheduler(optimizer, 2, 4, 0.5)
    >>> rates = []
    >>> for step in range(4):
    ...     rates.append(optimizer.get_learning_rate())
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.0, 0.25, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        warmup_step_count: int,
        total_step_count: int,
        initial_lr: float,
    ) -> None:
        self._optimizer = optimizer._optimizer
        self._warmup = warmup_step_count
        self._total = total_step_count
        self._initial = initial_lr
        self._optimizer.set_initial_learning_rate(initial_lr)
        self.step()

    def step(self) -> None:
        """Sets the rate for the steps that the optimizer has done."""
        done = self._optimizer.steps_done
        factor = _temper.linear_lr_factor(done, self._warmup, self._total)
        self._optimizer.set_learning_rate(self._initial * factor)
