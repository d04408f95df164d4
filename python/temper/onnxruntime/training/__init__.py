# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training on Temper's engine: artifacts, api and onnxblock."""

import importlib
from typing import Any

from temper.onnxruntime.training import api, artifacts

__all__ = ["api", "artifacts"]

__temper__ = True

_GONE = {
    "ORTModule": "ran PyTorch modules in ONNX Runtime",
    "PropagateCastOpsStrategy": "was an option of ORTModule",
    "TrainingParameters": "configured the training session before on-device training",
    "amp": "scaled losses for ORTTrainer and ORTModule",
    "is_ortmodule_available": "told whether ORTModule's extensions for PyTorch were built",
    "optim": "had optimizers for PyTorch modules",
}


def __getattr__(name: str) -> Any:
    if name == "onnxblock":  # only now, as it imports onnx
        return importlib.import_module("temper.onnxruntime.training.onnxblock")
    if name in _GONE:
        raise AttributeError(f"Temper has no onnxruntime.training.{name}, which {_GONE[name]}.")
    raise AttributeError(f"module 'onnxruntime.training' has no attribute '{name}'")
