# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.onnxblock: models and losses from blocks. It needs the package onnx."""

from typing import Any

try:
    import onnx as _onnx  # noqa: F401
except ImportError:
    raise ImportError("onnxblock needs the package onnx; install it with pip.") from None

from temper.onnxruntime.training.onnxblock import blocks, loss, optim
from temper.onnxruntime.training.onnxblock.blocks import Block
from temper.onnxruntime.training.onnxblock.checkpoint_utils import (
    load_checkpoint_to_model,
    save_checkpoint,
)
from temper.onnxruntime.training.onnxblock.model_accessor import (
    base,
    custom_op_library,
    empty_base,
)
from temper.onnxruntime.training.onnxblock.onnxblock import ForwardBlock, TrainingBlock

__all__ = [
    "Block",
    "ForwardBlock",
    "TrainingBlock",
    "base",
    "blocks",
    "custom_op_library",
    "empty_base",
    "load_checkpoint_to_model",
    "loss",
    "optim",
    "save_checkpoint",
]

_OLD_NAMES = {
    "TrainingModel": "TrainingBlock",
    "Model": "ForwardBlock",
    "onnx_model": "base",
    "building_blocks": "blocks",
}


def __getattr__(name: str) -> Any:
    if name in _OLD_NAMES:
        raise AttributeError(f"onnxblock.{name} is called onnxblock.{_OLD_NAMES[name]} today.")
    raise AttributeError(f"module 'onnxruntime.training.onnxblock' has no attribute '{name}'")
