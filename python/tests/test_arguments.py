# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments have the names of the engine's settings and of the command line's flags."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from program import PROGRAM, needs_program

import temper
from temper import _temper, losses, optimizers

#: Flags that can be repeated are arguments that take several.
PLURALS = {
    "without_pass": "without_passes",
    "loss_input": "loss_inputs",
    "extra_output": "extra_outputs",
    "group": "parameter_groups",
    "fix_input": "fixed_inputs",
}

#: Flags that switch something off.
NEGATED = {"no_decay_on_biases_and_norms": "decay_biases_and_norms"}

#: Of reports, which are objects in Python.
REPORTS = {"help", "dry_run", "json"}

#: --restore-norm measures statistics on samples; only the command line and the window do so.
MEASURING = {"restore_norm", "data", "bind"}


def keywords_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The arguments that have to be named, and their defaults."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}


def flags_of(command: str) -> set[str]:
    """As names of arguments."""
    called = [str(PROGRAM), command, "--help"]
    text = subprocess.run(called, capture_output=True, text=True, check=True).stdout
    flags = re.findall(r"^ +(?:-\w,)?--([\w-]+)", text.partition("\nFormulas")[0], re.MULTILINE)
    return {flag.replace("-", "_") for flag in flags}


def hyperparameters() -> set[str]:
    """Flags that are arguments of objects here, such as temper.optimizers.AdamW(beta1=0.8)."""
    names: set[str] = set()
    for module in (losses, optimizers):
        for name in module.__all__:
            if name not in ("Formula", "Loss", "Optimizer"):
                names |= set(inspect.signature(getattr(module, name)).parameters)
    return names


def test_arguments_of_a_session_are_the_engine_s_settings() -> None:
    keywords = keywords_of(temper.Session)
    assert list(keywords) and keywords.keys() == set(_temper.session_settings())
    rows = {row.key: row for row in _temper.run_settings()}
    for name, default in keywords.items():
        usual = "" if default == () else f"{default:g}" if type(default) is float else str(default)
        assert usual == rows[name].default, name
        # the flag has the same name
        assert PLURALS.get(rows[name].flag, rows[name].flag) == name


@needs_program
def test_arguments_of_artifacts_are_the_flags() -> None:
    flags = flags_of("artifacts")
    assert REPORTS | MEASURING <= flags
    # what both a loss or an optimizer and the artifacts have would hide here
    arguments = keywords_of(temper.artifacts).keys() | {"out"}
    assert not arguments & hyperparameters()
    expected = {PLURALS.get(flag, NEGATED.get(flag, flag)) for flag in flags}
    assert arguments == expected - hyperparameters() - REPORTS - MEASURING


@needs_program
def test_loaded_artifacts_have_the_names_of_the_flags() -> None:
    arguments = keywords_of(temper.load_artifacts).keys()
    assert list(arguments) and arguments <= flags_of("train")


TWICE = """<ir_version: 8, opset_import: ["" : 17]>
net (float[N, 2] x) => (float[N, 2] y) <
    float[2, 2] "a.weight" = {1, 2, 3, 4}, float[2, 2] "b.weight" = {1, 2, 3, 4}> {
    h = MatMul(x, "a.weight")
    y = MatMul(h, "b.weight")
}"""
ONCE = TWICE.replace(', float[2, 2] "b.weight" = {1, 2, 3, 4}', "").replace("b.weight", "a.weight")


def test_tensors_are_tied_and_parted() -> None:
    twice, once = temper.from_text(TWICE), temper.from_text(ONCE)
    assert temper.artifacts(twice, loss="mse").trainable == ["a.weight", "b.weight"]
    tied = temper.artifacts(twice, loss="mse", tie=["a.weight", "b.weight"])
    assert len(tied.trainable) == 1
    x = numpy.array([[1, -1], [2, 0.5]], numpy.float32)
    session, other = temper.Session(tied), temper.Session(temper.artifacts(once, loss="mse"))
    for each in (session, other):
        each.train_step(x, x)
    (gradient,), (expected,) = session.gradients.values(), other.gradients.values()
    numpy.testing.assert_allclose(gradient, expected, rtol=1e-6)
    parted = temper.artifacts(once, loss="mse", part="a.weight")
    assert len(parted.trainable) == 2
    with pytest.raises(temper.NotFoundError, match="none"):
        temper.artifacts(once, loss="mse", untie=["none"])
    with pytest.raises(TypeError, match="^Expected names for keep_merged; found 3"):
        temper.artifacts(once, keep_merged=3)  # type: ignore[arg-type]


def test_settings_may_be_numbers_of_numpy(mlp: temper.Model) -> None:
    five: Any = numpy.int64(5)
    made = temper.artifacts(mlp, head_classes=five)
    assert temper.Checkpoint.of(made)["fc2.bias"].data.shape == (5,)
    temper.Session(made, seed=five, threads=five)
    nothing: Any = object()
    with pytest.raises(temper.ArgumentTypeError, match="A setting can't be <object"):
        temper.artifacts(mlp, prefix=nothing)
