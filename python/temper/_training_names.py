# SPDX-License-Identifier: Apache-2.0
"""Makes ONNX Runtime's training modules importable under their own names."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

_OURS = "temper.onnxruntime"

_MODULES = (
    "training",
    "training.artifacts",
    "training.api",
    "training.api.checkpoint_state",
    "training.api.module",
    "training.api.optimizer",
    "training.api.lr_scheduler",
)


def as_onnxruntime_training(force: bool = False) -> ModuleType:
    """Makes ``onnxruntime.training`` and its submodules importable: they are Temper's.

    Plain onnxruntime stays what it is; without it, a parent module with ``set_seed`` only is there.
    A real onnxruntime-training is left alone unless ``force`` is given; the module that is returned
    says in ``__temper__`` which one is in use. Calling it again changes nothing.

    >>> import temper
    >>> training = temper.as_onnxruntime_training()
    >>> from onnxruntime.training.api import CheckpointState
    >>> from onnxruntime.training import artifacts
    >>> training.__temper__
    True
    """
    parent = _parent()
    if not force and _has_real_training(parent):
        training = importlib.import_module("onnxruntime.training")
        if not hasattr(training, "__temper__"):
            training.__temper__ = False  # type: ignore[attr-defined]
        return training
    for name in _MODULES:
        module = importlib.import_module(f"{_OURS}.{name}")
        sys.modules[f"onnxruntime.{name}"] = module
    training = sys.modules["onnxruntime.training"]
    parent.training = training  # type: ignore[attr-defined]
    _seed_too(parent)
    return training


def _parent() -> ModuleType:
    """The installed onnxruntime, or a package of that name without anything."""
    try:
        return importlib.import_module("onnxruntime")
    except ModuleNotFoundError:
        parent = ModuleType("onnxruntime", "Stands for onnxruntime, which is not installed.")
        parent.__path__ = []
        sys.modules["onnxruntime"] = parent
        return parent


def _has_real_training(parent: ModuleType) -> bool:
    """Whether the installed onnxruntime was built with training; plain ones have an empty folder
    of that name, or none."""
    present = sys.modules.get("onnxruntime.training")
    if present is not None:
        return not getattr(present, "__temper__", False)
    try:
        capi = importlib.import_module("onnxruntime.capi._pybind_state")
    except ImportError:
        return False
    return hasattr(capi, "CheckpointState")


def _seed_too(parent: ModuleType) -> None:
    """``onnxruntime.set_seed`` also seeds Temper."""
    ours = importlib.import_module(_OURS)
    theirs = getattr(parent, "set_seed", None)
    if getattr(theirs, "__temper__", False):
        return

    def set_seed(seed: int) -> None:
        ours.set_seed(seed)
        if theirs is not None:
            theirs(seed)

    set_seed.__temper__ = True  # type: ignore[attr-defined]
    parent.set_seed = set_seed  # type: ignore[attr-defined]
