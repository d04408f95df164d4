# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training on Temper's engine: artifacts, api and onnxblock."""

import importlib
from typing import Any

from temper.onnxruntime.training import api, artifacts
from temper.onnxruntime.training._absent import explain_imports, sentences_of

__all__ = ["api", "artifacts"]

__temper__ = True

explain_imports()


def __getattr__(name: str) -> Any:
    if name == "onnxblock":  # only now, as it imports onnx
        return importlib.import_module("temper.onnxruntime.training.onnxblock")
    sentences = sentences_of(name)
    raise AttributeError(
        sentences or f"module 'onnxruntime.training' has no attribute '{name}'"
    )
