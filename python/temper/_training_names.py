# SPDX-License-Identifier: Apache-2.0
"""Makes ONNX Runtime's training modules importable under their own names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder

    class _Importer(MetaPathFinder, Loader):
        pass

else:
    _Importer = object  # importing importlib.abc takes time

_THEIRS = "onnxruntime.training"
_OURS = "temper.onnxruntime.training"


def as_onnxruntime_training(force: bool = False) -> ModuleType:
    """Makes ``onnxruntime.training`` and its submodules importable: they are Temper's.

    Plain onnxruntime stays what it is; without it, a parent module with ``set_seed`` only is there.
    A real onnxruntime-training that can be imported (it needs PyTorch) is left alone unless
    ``force`` is given; the module that is returned says in ``__temper__`` which one is in use.
    Calling it again changes nothing.

    >>> import temper
    >>> training = temper.as_onnxruntime_training()
    >>> from onnxruntime.training.api import CheckpointState
    >>> from onnxruntime.training import artifacts
    >>> training.__temper__
    True
    """
    parent = _parent()
    real = None if force else _real_training()
    if real is not None:
        real.__temper__ = False  # type: ignore[attr-defined]
        return real
    if not any(isinstance(finder, _Aliases) for finder in sys.meta_path):
        _forget_theirs()
        sys.meta_path.insert(0, _Aliases())
    training = importlib.import_module(_THEIRS)
    parent.training = training  # type: ignore[attr-defined]
    _seed_too(parent)
    _add_gradient_builder(parent)
    return training


class _Aliases(_Importer):
    """Imports ``onnxruntime.training...`` as ``temper.onnxruntime.training...``: the same module
    under a second name, so that its classes are the same."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name == _THEIRS:
            return ModuleSpec(name, self)
        if not name.startswith(_THEIRS + "."):
            return None
        found = importlib.util.find_spec(_ours(name))
        return None if found is None else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(_ours(spec.name))
        spec.loader_state = module.__spec__  # which the import replaces
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def _ours(name: str) -> str:
    return _OURS + name[len(_THEIRS) :]


def _forget_theirs() -> None:
    for name in list(sys.modules):
        if name == _THEIRS or name.startswith(_THEIRS + "."):
            del sys.modules[name]


def _parent() -> ModuleType:
    """The installed onnxruntime, or a package of that name without anything."""
    try:
        return importlib.import_module("onnxruntime")
    except ModuleNotFoundError:
        parent = ModuleType("onnxruntime", "Stands for onnxruntime, which is not installed.")
        parent.__path__ = []
        parent.__spec__ = ModuleSpec("onnxruntime", None, is_package=True)
        sys.modules["onnxruntime"] = parent
        return parent


def _real_training() -> ModuleType | None:
    """ONNX Runtime's own module, if it was built with training and can be imported."""
    present = sys.modules.get(_THEIRS)
    if present is not None:
        return None if getattr(present, "__temper__", False) else present
    try:
        state = importlib.import_module("onnxruntime.capi._pybind_state")
        return importlib.import_module(_THEIRS) if hasattr(state, "CheckpointState") else None
    except ImportError:
        return None


def _add_gradient_builder(parent: ModuleType) -> None:
    """``onnxruntime.capi._pybind_state.GradientGraphBuilder``, which only training builds have."""
    builder = importlib.import_module("temper.onnxruntime._gradient_graph").GradientGraphBuilder
    try:
        state = importlib.import_module("onnxruntime.capi._pybind_state")
    except ImportError:
        state = ModuleType("onnxruntime.capi._pybind_state")
        capi = ModuleType("onnxruntime.capi")
        capi.__path__ = []
        for module in (state, capi):
            module.__spec__ = ModuleSpec(module.__name__, None, is_package=module is capi)
        sys.modules.update({capi.__name__: capi, state.__name__: state})
        capi._pybind_state = state  # type: ignore[attr-defined]
        parent.capi = capi  # type: ignore[attr-defined]
    state.GradientGraphBuilder = builder  # type: ignore[attr-defined]


def _seed_too(parent: ModuleType) -> None:
    """``onnxruntime.set_seed`` also seeds Temper."""
    ours = importlib.import_module("temper.onnxruntime")
    theirs = getattr(parent, "set_seed", None)
    if getattr(theirs, "__temper__", False):
        return

    def set_seed(seed: int) -> None:
        ours.set_seed(seed)
        if theirs is not None:
            theirs(seed)

    set_seed.__temper__ = True  # type: ignore[attr-defined]
    parent.set_seed = set_seed  # type: ignore[attr-defined]
