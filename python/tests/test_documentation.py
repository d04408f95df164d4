# SPDX-License-Identifier: Apache-2.0
"""The examples in the documentation run, and public objects have some text."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import re
import shutil
from typing import Any

import numpy
import pytest

import temper

MODULES = [
    "temper",
    "temper._artifacts",
    "temper._checkpoint",
    "temper._checkpoint_diff",
    "temper._choices",
    "temper._errors",
    "temper._fit",
    "temper._gradient_check",
    "temper._inference",
    "temper._models",
    "temper._plugins",
    "temper._run",
    "temper._session",
    "temper._temper",
    "temper.losses",
    "temper.optimizers",
    "temper.schedules",
]


@pytest.mark.parametrize("name", MODULES[1:])
def test_examples_run(name: str, mlp_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = {"mlp_path": mlp_path, "folder": tmp_path}
    tests = [
        test
        for test in finder.find(importlib.import_module(name), extraglobs=names)
        if test.examples
    ]
    assert tests
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in tests:
        # the module's own "open" and "export" would hide the names that examples use
        test.globs = dict(names)
        assert runner.run(test, clear_globs=False).failed == 0, test.name


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


@pytest.mark.parametrize("name", [name for name in temper.__all__ if name != "__version__"])
def test_public_objects_are_documented(name: str) -> None:
    thing = getattr(temper, name)
    text = inspect.getdoc(thing)
    assert text is not None and ">>> " in text
    if not inspect.isclass(thing) or not thing.__module__.startswith("temper._"):
        return
    for member, value in vars(thing).items():
        if not member.startswith("_") and (callable(value) or isinstance(value, property)):
            assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"
