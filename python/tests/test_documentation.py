# SPDX-License-Identifier: Apache-2.0
"""The examples in the documentation run, and public objects have some text."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib

import pytest

import temper

MODULES = [
    "temper",
    "temper._artifacts",
    "temper._checkpoint",
    "temper._checkpoint_diff",
    "temper._choices",
    "temper._errors",
    "temper._gradient_check",
    "temper._inference",
    "temper._models",
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
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        # the module's own "open" and "export" would hide the names that examples use
        test.globs = dict(names)
        assert runner.run(test, clear_globs=False).failed == 0, test.name


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
