# SPDX-License-Identifier: Apache-2.0
"""What temper.fit() reads and writes besides data: single artifact files, profiles."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
from typing import Any

import numpy
import pytest
from program import PROGRAM, needs_program

import temper


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    random = numpy.random.default_rng(3)
    x = random.normal(size=(96, 4)).astype(numpy.float32)
    labels = (x[:, 0] > 0).astype(numpy.int64)
    path = tmp_path_factory.mktemp("data") / "train.npz"
    numpy.savez(path, x=x, labels=labels)
    return {"arrays": {"x": x, "labels": labels}, "path": path}


@pytest.fixture(scope="module")
def apart(mlp: temper.Model, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Artifacts whose files have names and folders of their own."""
    folder, apart = tmp_path_factory.mktemp("art"), tmp_path_factory.mktemp("apart")
    temper.artifacts(mlp, folder)
    files = {
        "train_model": ("training_model.onnx", "a.onnx"),
        "eval_model": ("eval_model.onnx", "b.onnx"),
        "optimizer_model": ("optimizer_model.onnx", "c.onnx"),
        "checkpoint": ("checkpoint", "start.ckpt"),
    }
    return {
        name: pathlib.Path(shutil.move(folder / old, apart / new))
        for name, (old, new) in files.items()
    }


def train(arguments: list[str]) -> str:
    """`temper train`. Returns what it writes to standard error."""
    done = subprocess.run([str(PROGRAM), "train", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def flags(apart: dict[str, Any]) -> list[str]:
    return [
        text
        for name, path in apart.items()
        for text in ("--" + name.replace("_", "-"), str(path))
    ]


@needs_program
def test_single_files_train_as_the_program_trains_them(
    apart: dict[str, Any], data: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    train([*flags(apart), "--data", str(data["path"]), "--epochs", "2", "--save", str(tmp_path)])
    run = temper.fit(temper.load_artifacts(**apart), data["arrays"], epochs=2)
    for name, parameter in temper.Checkpoint.load(tmp_path / "last.ckpt").items():
        numpy.testing.assert_array_equal(run.session.checkpoint[name].data, parameter.data)


def test_a_single_file_replaces_that_of_the_folder(
    mlp: temper.Model, tmp_path: pathlib.Path
) -> None:
    temper.artifacts(mlp, tmp_path, optimizer="sgd")
    other = temper.Checkpoint.of(temper.load_artifacts(tmp_path))
    other["fc2.bias"] = numpy.array([1, 2, 3], numpy.float32)
    other.save(tmp_path / "other.ckpt")
    made = temper.load_artifacts(tmp_path, checkpoint=tmp_path / "other.ckpt")
    assert temper.Checkpoint.of(made)["fc2.bias"].data.tolist() == [1, 2, 3]
    assert made.optimizer_model is not None


def test_files_that_are_needed_are_named(
    apart: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    with pytest.raises(temper.InvalidInputError, match="No training model is given") as caught:
        temper.load_artifacts(checkpoint=apart["checkpoint"])
    assert "train_model=" in caught.value.hint
    with pytest.raises(temper.InvalidInputError, match="No checkpoint is given"):
        temper.load_artifacts(train_model=apart["train_model"])
    for name in apart:
        with pytest.raises(FileNotFoundError, match="missing.onnx"):
            temper.load_artifacts(**{**apart, name: tmp_path / "missing.onnx"})
    with pytest.raises(FileNotFoundError, match="training_model.onnx"):
        temper.load_artifacts(tmp_path)


def test_a_project_is_refused_with_the_command_that_trains_it(tmp_path: pathlib.Path) -> None:
    (tmp_path / "project.json").write_text("{}")
    with pytest.raises(temper.InvalidInputError, match="is a project") as caught:
        temper.fit(tmp_path, "data.npz")
    assert "python -m temper train" in caught.value.hint


def events_of(trace: pathlib.Path) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(trace.read_text())["traceEvents"]
    return [event for event in events if event["ph"] == "X"]


@needs_program
def test_a_profile_has_the_operators_of_the_programs(
    apart: dict[str, Any], data: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    arguments = [*flags(apart), "--data", str(data["path"]), "--epochs", "20", "--threads", "1"]
    table = train([*arguments, "--profile", str(theirs)])
    run = temper.fit(
        temper.load_artifacts(**apart), data["arrays"], epochs=20, threads=1, profile=ours
    )
    rows = re.findall(r"^ *([\w.+]+) +(\d+) +[\d.e-]+ +[\d.]+ % ", table, re.M)
    assert len(rows) > 3
    assert {(cost.op, str(cost.calls)) for cost in run.profile} == set(rows)
    names = [sorted(event["name"] for event in events_of(trace)) for trace in (ours, theirs)]
    assert names[0] == names[1]
    assert sum(name.startswith("step ") for name in names[0]) == 20


def test_a_profile_adds_up(mlp: temper.Model, data: dict[str, Any], tmp_path: pathlib.Path) -> None:
    run = temper.fit(mlp, data["arrays"], epochs=2, profile=tmp_path / "trace.json")
    seconds = [cost.seconds for cost in run.profile]
    assert seconds == sorted(seconds, reverse=True)
    assert sum(cost.share for cost in run.profile) == pytest.approx(1)
    assert all(cost.bytes > 0 and cost.calls > 0 for cost in run.profile)
    assert any(cost.flops > 0 and cost.roofline_share > 0 for cost in run.profile)
    steps = [event for event in events_of(tmp_path / "trace.json") if "step" in event["name"]]
    assert len(steps) == len(run.losses) == 6
    assert temper.fit(mlp, data["arrays"], epochs=1).profile == ()


def test_a_profile_that_can_not_be_written_is_refused_before_training(
    mlp: temper.Model, data: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    steps: list[temper.Step] = []
    for path in (tmp_path, tmp_path / "missing" / "trace.json"):
        with pytest.raises(OSError, match="can't be written"):
            temper.fit(mlp, data["arrays"], profile=path, on_step=steps.append)
    assert not steps


def test_a_run_that_ends_early_has_its_profile(
    mlp: temper.Model, data: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    def stop(step: temper.Step) -> None:
        if step.step == 3:
            raise StopIteration

    with pytest.raises(StopIteration) as caught:
        temper.fit(mlp, data["arrays"], on_step=stop, profile=tmp_path / "trace.json")
    assert caught.value.run.profile  # type: ignore[attr-defined]
    assert events_of(tmp_path / "trace.json")


def test_a_resumed_run_prepares_a_file_as_the_first_one_did(
    mlp: temper.Model, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    random = numpy.random.default_rng(6)
    columns = "a,b,c,d,kind\n"
    names = numpy.array(["ant", "bee", "cat"])

    def table(name: str, labels: numpy.ndarray, scale: float) -> tuple[str, numpy.ndarray]:
        x = (scale * random.normal(size=(len(labels), 4))).astype(numpy.float32)
        rows = [
            ",".join(f"{value:.9g}" for value in row) + f",{names[label]}\n"
            for row, label in zip(x, labels)
        ]
        (tmp_path / name).write_text(columns + "".join(rows))
        return str(tmp_path / name) + "?normalize=standard", x

    made = temper.artifacts(mlp)
    first, before = table("first.csv", numpy.arange(30) % 3, 5)
    saved = temper.fit(made, first, epochs=1, save=tmp_path / "run").session.checkpoint
    saved.save(tmp_path / "half.ckpt")
    labels = 1 + numpy.arange(20) % 2  # without the first class
    later, after = table("later.csv", labels, 50)
    with caplog.at_level("INFO", "temper"):
        resumed = temper.fit(
            made, later.partition("?")[0], resume=tmp_path / "half.ckpt", steps=6, batch_size=20
        )
    assert "D124" in caplog.text
    wide = before.astype(numpy.float64)
    x = ((after - wide.mean(0)) / wide.std(0)).astype(numpy.float32)
    expected = temper.fit(
        made, {"x": x, "labels": labels}, resume=tmp_path / "half.ckpt", steps=6, batch_size=20
    )
    numpy.testing.assert_allclose(resumed.losses, expected.losses, rtol=1e-4)
    assert len(resumed.losses) > 0
