# SPDX-License-Identifier: Apache-2.0
"""temper.gradcheck() against the command line, and with wrong gradients."""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

import numpy
import pytest

import temper
from temper import _programs

ROUND = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1.2, 0.3, -0.7, 2.1}> {
        product = MatMul(x, w)
        rounded = Round(product)
        y = Mul(rounded, rounded)
    }
"""

#: float32 keeps nothing of the products beside the large number.
CANCELLING = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 2] x) => (float[N, 2] y) <
        float[2] w = {0.2, 0.3}, float[2] b = {0.5, 0.5}, float large = {100000000.0}> {
        product = Mul(x, w)
        raised = Add(product, large)
        lowered = Sub(raised, large)
        y = Add(lowered, b)
    }
"""


@pytest.fixture
def feeds(x: numpy.ndarray, labels: numpy.ndarray) -> dict[str, numpy.ndarray]:
    return {"x": x, "labels": labels}


def save(path: pathlib.Path, arrays: dict[str, Any]) -> None:
    numpy.savez(path, **arrays)


def by_the_command_line(*arguments: object) -> dict[str, tuple[float, float, bool]]:
    if not pathlib.Path(_programs.COMMAND_LINE).exists():
        pytest.skip("the command line is not built")
    command = [_programs.COMMAND_LINE, "gradcheck", "--json", *map(str, arguments)]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    return {
        check["name"]: (check["max_relative_error"], check["rounding_error"], check["passed"])
        for check in json.loads(output)["parameters"]
    }


def numbers(checks: temper.GradientChecks) -> dict[str, tuple[float, float, bool]]:
    return {
        name: (check.max_relative_error, check.rounding_error, check.passes(checks.tolerance))
        for name, check in checks.items()
    }


def test_it_gives_the_numbers_of_the_command_line(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, feeds: dict[str, numpy.ndarray]
) -> None:
    save(tmp_path / "feeds.npz", feeds)
    arguments = [mlp_path, "--feeds", tmp_path / "feeds.npz", "--freeze", "fc1.*", "--seed", 3]
    expected = by_the_command_line(*arguments)
    with numpy.load(tmp_path / "feeds.npz") as file:
        checks = temper.gradcheck(mlp_path, file, freeze=["fc1.*"], seed=3)
    assert numbers(checks) == expected
    assert list(checks) == list(expected)
    assert checks.passed and checks.failed == []


def test_gradients_that_float32_gets_wrong_fail(tmp_path: pathlib.Path) -> None:
    model = temper.from_text(CANCELLING)
    model.save(tmp_path / "model.onnx")
    feeds = {
        "x": numpy.array([[1.0, 2.0], [-0.5, 0.25]], numpy.float32),
        "target": numpy.zeros([2, 2], numpy.float32),
    }
    save(tmp_path / "feeds.npz", feeds)
    checks = temper.gradcheck(model, feeds, loss="mse", freeze=["large"])
    assert (checks.passed, set(checks.failed)) == (False, {"w", "b"})
    assert checks["w"].rounding_error > 0.05
    assert repr(checks).startswith("<GradientChecks: 0 of 2 parameters passed")
    arguments = [tmp_path / "model.onnx", "--feeds", tmp_path / "feeds.npz", "--loss", "mse"]
    assert numbers(checks) == by_the_command_line(*arguments, "--freeze", "large")


def test_straight_through_gradients_follow_the_choice(tmp_path: pathlib.Path) -> None:
    model = temper.from_text(ROUND)
    model.save(tmp_path / "model.onnx")
    feeds = {
        "x": numpy.array([[1.0, 2.0], [-0.5, 0.25]], numpy.float32),
        "target": numpy.zeros([2, 2], numpy.float32),
    }
    save(tmp_path / "feeds.npz", feeds)
    checks = temper.gradcheck(model, feeds, loss="mse", straight_through="Round")
    arguments = [tmp_path / "model.onnx", "--feeds", tmp_path / "feeds.npz", "--loss", "mse"]
    assert checks.passed
    assert numbers(checks) == by_the_command_line(*arguments, "--straight-through", "Round")
    with pytest.raises(temper.ArtifactsError):
        temper.gradcheck(model, feeds, loss="mse")


def test_wrong_arguments_are_named(
    mlp_path: pathlib.Path, feeds: dict[str, numpy.ndarray]
) -> None:
    with pytest.raises(temper.InvalidInputError, match="'labels' is missing"):
        temper.gradcheck(mlp_path, {"x": feeds["x"]})
    with pytest.raises(temper.InvalidInputError, match="'more' is surplus"):
        temper.gradcheck(mlp_path, {**feeds, "more": feeds["x"]})
    with pytest.raises(temper.InvalidInputError, match="tolerance"):
        temper.gradcheck(mlp_path, feeds, tolerance=0)
    with pytest.raises(temper.NotFoundError, match="none"):
        temper.gradcheck(mlp_path, feeds)["none"]


def test_a_loss_that_is_nan_is_refused(mlp: temper.Model) -> None:
    feeds = {"x": numpy.full([4, 4], numpy.nan, "f4"), "labels": numpy.zeros(4, "i8")}
    with pytest.raises(temper.NumericError, match="The loss is not a finite number"):
        temper.gradcheck(mlp, feeds)


def test_gradients_that_are_nan_do_not_pass() -> None:
    model = temper.from_text(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[N] y) '
        "<float[1] w = {2}> { p = Mul(x, w) y = Sqrt(p) }"
    )
    feeds = {"x": numpy.zeros(2, "f4"), "target": numpy.ones(2, "f4")}  # the slope is 0 / 0
    checks = temper.gradcheck(model, feeds, loss="mse")
    assert checks.failed == ["w"] and checks["w"].max_relative_error == numpy.inf
