# SPDX-License-Identifier: Apache-2.0
"""temper.diff() against NumPy and the command line."""

from __future__ import annotations

import json
import pathlib
import subprocess
import threading

import numpy
import pytest

import temper
from temper import _programs


@pytest.fixture
def pair(art: pathlib.Path, tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """A checkpoint, and one whose fc1.weight differs."""
    checkpoint = temper.Checkpoint.load(art / "checkpoint")
    random = numpy.random.default_rng(5)
    checkpoint["fc1.weight"].data[:] += random.normal(size=(5, 4)).astype(numpy.float32)
    checkpoint.save(tmp_path / "changed")
    return art / "checkpoint", tmp_path / "changed"


def test_its_numbers_are_numpy_s(pair: tuple[pathlib.Path, pathlib.Path]) -> None:
    diff = temper.diff(*pair)
    a, b = (temper.Checkpoint.load(path)["fc1.weight"].data.astype(float) for path in pair)
    change = diff["fc1.weight"]
    norm = numpy.linalg.norm
    assert change.type == "float32[5, 4]"
    assert change.first_norm == pytest.approx(norm(a))
    assert change.second_norm == pytest.approx(norm(b))
    assert change.change_norm == pytest.approx(norm(b - a))
    assert change.max_change == pytest.approx(abs(b - a).max())
    assert change.relative == pytest.approx(norm(b - a) / norm(a))
    assert change.cosine == pytest.approx((a * b).sum() / norm(a) / norm(b))
    assert sum(change.histogram) == 20
    assert not change.is_same
    assert [name for name, parameter in diff.items() if not parameter.is_same] == ["fc1.weight"]
    assert repr(diff) == "<CheckpointDiff: 1 of 4 parameters differ>"
    assert not diff.is_same
    assert temper.diff(pair[0], pair[0]).is_same


def test_its_numbers_are_those_of_the_command_line(
    pair: tuple[pathlib.Path, pathlib.Path]
) -> None:
    if not pathlib.Path(_programs.COMMAND_LINE).exists():
        pytest.skip("the command line is not built")
    command = [_programs.COMMAND_LINE, "checkpoint", "diff", "--json", *map(str, pair)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    diff = temper.diff(*pair)
    for expected in json.loads(output)["parameters"]:
        parameter = diff[expected["name"]]
        assert {key: getattr(parameter, key) for key in expected} == expected


def test_structures_may_differ(
    mlp: temper.Model, art: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    wide = temper.artifacts(mlp, head_classes=7)
    narrow = temper.Checkpoint.load(art / "checkpoint")
    diff = temper.diff(narrow, temper.Checkpoint.of(wide))
    assert "[7]" in diff["fc2.bias"].mismatch and "[3]" in diff["fc2.bias"].mismatch
    assert not diff["fc2.bias"].is_same
    assert diff["fc1.bias"].is_same
    other = temper.from_text("(float[N] x) => (float[N] y) <float[1] w = {1}> { y = Mul(x, w) }")
    others = temper.Checkpoint.of(temper.artifacts(other, loss="mse"))
    diff = temper.diff(narrow, others)
    assert (len(diff), diff.only_in_first, diff.only_in_second) == (0, list(narrow), ["w"])
    with pytest.raises(KeyError, match="w"):
        diff["w"]
    with pytest.raises(FileNotFoundError):
        temper.diff(narrow, tmp_path / "none")


def test_a_checkpoint_is_compared_with_itself_and_in_both_orders_at_a_time(
    art: pathlib.Path,
) -> None:
    first = temper.Checkpoint.load(art / "checkpoint")
    second = temper.Checkpoint.load(art / "checkpoint")
    assert temper.diff(first, first).is_same
    results: list[bool] = []

    def compare(*pair: temper.Checkpoint) -> None:
        results.extend(temper.diff(*pair).is_same for _ in range(200))

    threads = [
        threading.Thread(target=compare, args=pair, daemon=True)
        for pair in ((first, second), (second, first))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 400
