# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.api: the training loop."""

from temper.onnxruntime.training.api.checkpoint_state import CheckpointState
from temper.onnxruntime.training.api.lr_scheduler import LinearLRScheduler
from temper.onnxruntime.training.api.module import Module
from temper.onnxruntime.training.api.optimizer import Optimizer

__all__ = ["CheckpointState", "LinearLRScheduler", "Module", "Optimizer"]
