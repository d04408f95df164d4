# SPDX-License-Identifier: Apache-2.0
"""The examples in the documentation run, and public objects have some text."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import re
import shutil
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy
import pytest

import temper

PACKAGE = pathlib.Path(temper.__file__).parent


def modules_with_examples() -> list[str]:
    """The extension, and what has an example in its source."""
    names = ["temper._temper"]
    for file in PACKAGE.rglob("*.py"):
        if ">>> " in file.read_text():
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            names.append(".".join(parts).removesuffix(".__init__"))
    return sorted(names)


MODULES = modules_with_examples()

#: The names that onnxruntime's modules have here, too.
COMPATIBLE = [
    "temper.onnxruntime._gradient_graph.GradientGraphBuilder",
    "temper.onnxruntime.set_seed",
    *(
        f"temper.onnxruntime.training.{name}"
        for name in [
            "artifacts.generate_artifacts",
            "artifacts.LossType",
            "artifacts.OptimType",
            "api.CheckpointState",
            "api.LinearLRScheduler",
            "api.Module",
            "api.Optimizer",
            "api.checkpoint_state.Parameters",
            "api.checkpoint_state.Properties",
            "onnxblock.Block",
            "onnxblock.ForwardBlock",
            "onnxblock.TrainingBlock",
            "onnxblock.base",
            "onnxblock.custom_op_library",
            "onnxblock.empty_base",
            "onnxblock.load_checkpoint_to_model",
            "onnxblock.save_checkpoint",
            "onnxblock.blocks.InputLike",
            "onnxblock.blocks.Linear",
            "onnxblock.loss.BCEWithLogitsLoss",
            "onnxblock.loss.CrossEntropyLoss",
            "onnxblock.loss.L1Loss",
            "onnxblock.loss.MSELoss",
            "onnxblock.optim.AdamW",
            "onnxblock.optim.ClipGradNorm",
            "onnxblock.optim.SGD",
        ]
    ),
]


def imported(name: str) -> ModuleType:
    if ".onnxblock" in name:
        pytest.importorskip("onnx")
    return importlib.import_module(name)


def examples_in(name: str) -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(imported(name)) if test.examples]


@pytest.fixture
def names(
    mlp_path: pathlib.Path,
    art: pathlib.Path,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[dict[str, Any]]:
    """What examples may use. The window is a program that ends at once, and what is called
    onnxruntime is gone afterwards."""
    monkeypatch.setenv("TEMPER_STUDIO", shutil.which("true") or "true")
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    others = {name: sys.modules.pop(name) for name in list(sys.modules) if is_onnxruntime(name)}
    sys.modules["onnxruntime"] = None  # type: ignore[assignment]  # as if it were not installed
    yield {"mlp_path": mlp_path, "art": art, "folder": tmp_path}
    for name in filter(is_onnxruntime, list(sys.modules)):
        del sys.modules[name]
    sys.modules.update(others)


def is_onnxruntime(module: str) -> bool:
    return module.partition(".")[0] == "onnxruntime"


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, names: dict[str, Any]) -> None:
    tests = examples_in(name)
    assert tests
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in tests:
        assert not any(doctest.SKIP in example.options for example in test.examples), test.name
        # the module's own "open" and "export" would hide the names that examples use
        test.globs = dict(names)
        assert runner.run(test, clear_globs=False).failed == 0, test.name


@pytest.mark.parametrize("name", [name for name in MODULES if name != "temper._temper"])
def test_every_example_of_a_module_is_found(name: str) -> None:
    source = inspect.getsource(imported(name))
    found = sum(len(test.examples) for test in examples_in(name))
    assert found == len(re.findall(r"^ *>>> ", source, re.MULTILINE))


def test_examples_of_the_page_run(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    (section,) = re.findall(r"^## Training in one call$(.*?)^## ", page.read_text(), re.M | re.S)
    examples = re.findall(r"^```python$(.*?)^```$", section, re.M | re.S)
    assert len(examples) == 4
    random = numpy.random.default_rng(0)
    names: dict[str, Any] = {}
    for name, count in (("", 60), ("_test", 20)):
        x = random.normal(size=(count, 4)).astype(numpy.float32)
        names["x" + name] = x
        names["labels" + name] = numpy.argmax(x[:, :3], axis=1)
    numpy.savez(tmp_path / "train.npz", x=names["x"], labels=names["labels"])
    shutil.copy(mlp_path, tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    for example in examples:
        exec(example, names)
    assert len(names["biases"]) == 2
    assert (tmp_path / "checkpoints" / "best.ckpt").exists()
    assert temper.open("trained.onnx").outputs[0].name == "logits"


def require_example(thing: Any) -> None:
    """In its own text, and among those that test_examples_run() runs."""
    text = inspect.getdoc(thing)
    assert text is not None and ">>> " in text
    if inspect.ismodule(thing):
        module = name = thing.__name__
    else:
        module, name = thing.__module__, f"{thing.__module__}.{thing.__qualname__}"
    assert module in MODULES
    assert name in [test.name for test in examples_in(module)]


@pytest.mark.parametrize("name", [name for name in temper.__all__ if name != "__version__"])
def test_public_objects_are_documented(name: str) -> None:
    thing = getattr(temper, name)
    require_example(thing)
    if not inspect.isclass(thing) or not thing.__module__.startswith("temper._"):
        return
    for member, value in vars(thing).items():
        if not member.startswith("_") and (callable(value) or isinstance(value, property)):
            assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"


@pytest.mark.parametrize("name", COMPATIBLE)
def test_objects_with_names_of_onnxruntime_have_an_example(name: str) -> None:
    module, _, member = name.rpartition(".")
    require_example(getattr(imported(module), member))
