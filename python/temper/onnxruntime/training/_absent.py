# SPDX-License-Identifier: Apache-2.0
"""What onnxruntime.training has besides on-device training, and what to use instead."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from typing import Any

_PACKAGE = "temper.onnxruntime.training"

_MODULES = "Export the module with torch.onnx.export() and train the file with temper.fit()."
_LOOP = "Use onnxruntime.training.api, or temper.fit()."

_ABSENT = {
    "ORTModule": ("ran PyTorch modules in ONNX Runtime", _MODULES),
    "PropagateCastOpsStrategy": ("was an option of ORTModule", _MODULES),
    "TrainingParameters": ("configured the training session before on-device training", _LOOP),
    "amp": ("scaled losses for ORTTrainer and ORTModule", _LOOP),
    "experimental": (
        "exported gradient graphs of PyTorch modules",
        "Export the module with torch.onnx.export(); temper.artifacts() adds the gradients.",
    ),
    "is_ortmodule_available": (
        "told whether ORTModule's extensions for PyTorch were built",
        _MODULES,
    ),
    "optim": (
        "had optimizers for PyTorch modules",
        "Use artifacts.OptimType, onnxblock.optim, or temper.optimizers.",
    ),
    "ort_triton": ("compiled kernels for ORTModule", _MODULES),
    "ortmodule": ("ran PyTorch modules in ONNX Runtime", _MODULES),
    "utils": (
        "had samplers that balance loads between processes",
        "temper.fit() takes any torch.utils.data.DataLoader.",
    ),
}


def sentences_of(name: str) -> str | None:
    """What ``onnxruntime.training.<name>`` was and what to use instead; None for other names."""
    if name not in _ABSENT:
        return None
    what, instead = _ABSENT[name]
    return f"Temper has no onnxruntime.training.{name}, which {what}. {instead}"


class _Finder:
    """The last one to be asked, after those that find modules."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = name.partition(_PACKAGE + ".")
        sentences = None if package else sentences_of(rest.partition(".")[0])
        if sentences is not None:
            # without the module's name, since ``from package import name`` would replace the text
            raise ModuleNotFoundError(sentences)
        return None


def explain_imports() -> None:
    """From now on, imports of what is absent raise ModuleNotFoundError with the sentences."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
