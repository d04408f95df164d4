# SPDX-License-Identifier: Apache-2.0
"""Plugins, which stay loaded until their process ends: each test has a process of its own."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy
import pytest
from program import PROGRAM, needs_program

BUILD = pathlib.Path(os.environ.get("TEMPER_PLUGIN_BUILD", "missing"))
#: swish and libsvm; a loss, a metric and schedules; ten that can't be loaded.
EXAMPLES, WHOLE, BROKEN = (BUILD / name for name in ("plugins", "plugins_whole", "plugins_broken"))

pytestmark = pytest.mark.skipif(
    not (EXAMPLES / "swish.so").exists(), reason="the plugins are not built"
)

SQUARE = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 2] x) => (float[N, 2] y) <float[2] w = {0.5, -0.25}> { y = Mul(x, w) }
"""
SWISH = """
    <ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
    net (float[N, 4] features) => (float[N, 2] logits)
    <float[4, 3] w = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 1.0, -1.1, 1.2},
     float[3, 2] v = {0.5, -0.4, 0.3, -0.2, 0.1, 0.2}> {
        h = MatMul(features, w)
        a = com.example.Swish<beta = 1.5>(h)
        logits = MatMul(a, v)
    }
"""


def told_by(code: str, folder: pathlib.Path, **variables: str) -> Any:
    """What a program prints as JSON. Warnings in it are errors."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "none"), **variables}
    names = {"EXAMPLES": str(EXAMPLES), "WHOLE": str(WHOLE), "BROKEN": str(BROKEN)}
    head = "import json, numpy, temper, warnings\n" + "".join(
        f"{name} = {value!r}\n" for name, value in {**names, "SQUARE": SQUARE}.items()
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", head + code],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_plugins_tell_what_they_add(tmp_path: pathlib.Path) -> None:
    code = """
first = temper.load_plugins(EXAMPLES)
again = temper.load_plugins(EXAMPLES)
other = temper.load_plugins(WHOLE)
print(json.dumps([first == again, first, [plugin.provides for plugin in other]]))
"""
    same, first, other = told_by(code, tmp_path)
    assert same
    assert [plugin[0] for plugin in first] == ["libsvm", "swish"]
    assert [plugin[3] for plugin in first] == [["data format libsvm"], ["operator com.example.Swish"]]
    assert first[1][4] == str(EXAMPLES / "swish.so")
    assert other[1] == [
        "operator com.test.ScaledSquare",
        "metric worst-error",
        "loss scaled-square",
        "schedule ramp",
    ]


def test_they_are_found_where_the_command_line_looks(tmp_path: pathlib.Path) -> None:
    code = "print(json.dumps([plugin.name for plugin in temper.load_plugins()]))"
    assert told_by(code, tmp_path) == []
    assert told_by(code, tmp_path, TEMPER_PLUGIN_PATH=str(EXAMPLES)) == ["libsvm", "swish"]
    disabled = {"TEMPER_PLUGIN_PATH": str(EXAMPLES), "TEMPER_NO_PLUGINS": "1"}
    assert told_by(code, tmp_path, **disabled) == []


def test_losses_and_schedules_of_plugins_are_classes(tmp_path: pathlib.Path) -> None:
    code = """
import pickle
before = hasattr(temper.losses, "ScaledSquare")
temper.load_plugins(WHOLE)
loss = temper.losses.ScaledSquare(scale=3)
ramp = temper.schedules.Ramp(rest=0.125)
try:
    temper.losses.ScaledSquare(scale=-1)
    refused = ""
except temper.InvalidInputError as error:
    refused = error.message
print(json.dumps([before, repr(loss), pickle.loads(pickle.dumps(loss)) == loss,
                  "ScaledSquare" in dir(temper.losses), temper.losses.ScaledSquare.__doc__,
                  [ramp.rate(step, lr=0.5, total_steps=10) for step in (0, 5, 10)], refused]))
"""
    before, text, same, listed, documentation, rates, refused = told_by(code, tmp_path)
    assert not before and same and listed
    assert text == "ScaledSquare(scale=3)"
    assert documentation.startswith("Scaled square. The mean square of the errors, times a factor.")
    assert rates == [0.5, 0.25, 0.125]
    assert "scale" in refused


def test_losses_schedules_and_metrics_of_a_plugin_train(tmp_path: pathlib.Path) -> None:
    code = """
temper.load_plugins(WHOLE)
random = numpy.random.default_rng(1)
x = random.normal(size=(32, 2)).astype("float32")
data = {"x": x, "target": x * [2, 3] + random.normal(size=(32, 2)) / 10}
data = {name: array.astype("float32") for name, array in data.items()}
model = temper.from_text(SQUARE)
numpy.savez("data.npz", **data)
run = temper.fit(model, data, steps=4, batch_size=32, lr=0.1, optimizer="sgd",
                 loss=temper.losses.ScaledSquare(scale=3), schedule="ramp")
weights = run.session.checkpoint["w"].data
judged = temper.fit(model, data, eval_data=data, steps=1, batch_size=32, lr=0, loss="mse",
                    metrics=["worst-error"])
print(json.dumps([run.losses.tolist(), run.learning_rates.tolist(), weights.tolist(),
                  judged.evaluations[-1].metrics["worst-error"]]))
"""
    losses, rates, weights, worst = told_by(code, tmp_path)
    data = numpy.load(tmp_path / "data.npz")
    x, target = data["x"].astype(float), data["target"].astype(float)
    w = numpy.array([0.5, -0.25])
    assert worst == pytest.approx(numpy.abs(x * w - target).max(), rel=1e-5)
    for step, loss in enumerate(losses):  # gradient descent on 3 * mean((x * w - target)^2)
        difference = x * w - target
        assert loss == pytest.approx(3 * numpy.mean(difference**2), rel=1e-5)
        rate = 0.1 * (1 - step / 4)
        assert rates[step] == pytest.approx(rate)
        w = w - rate * 3 * 2 * numpy.sum(difference * x, axis=0) / x.size
    assert weights == pytest.approx(w, rel=1e-4)


@needs_program
def test_an_operator_and_a_data_format_train_as_in_the_program(tmp_path: pathlib.Path) -> None:
    lines = [
        f"{'+1' if i % 2 else '-1'} "
        + " ".join(f"{k}:{(0.5 if i % 2 else -0.5) + 0.1 * ((i * 7 + k * 3) % 9 - 4):.3f}"
                   for k in range(1, 5))
        for i in range(60)
    ]
    (tmp_path / "train.libsvm").write_text("\n".join(lines) + "\n")
    code = f"""
text = {SWISH!r}
try:
    temper.artifacts(temper.from_text(text))
    unknown = ""
except temper.Error as error:
    unknown = str(error)
temper.load_plugins(EXAMPLES)
temper.artifacts(temper.from_text(text), "made")
run = temper.fit("made", "libsvm:train.libsvm?normalize=none", epochs=5, lr=0.02)
run.export("trained.onnx")
outputs = temper.run("trained.onnx", numpy.ones([3, 4], "float32"))
print(json.dumps([unknown, run.losses.tolist(), list(outputs["logits"].shape)]))
"""
    unknown, losses, shape = told_by(code, tmp_path)
    assert "com.example.Swish" in unknown
    assert shape == [3, 2]
    arguments = ["made", "--data", "libsvm:train.libsvm?normalize=none", "--epochs", "5"]
    subprocess.run(
        [str(PROGRAM), "train", *arguments, "--lr", "0.02", "--log", "run.jsonl"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        env={**os.environ, "TEMPER_PLUGIN_PATH": str(EXAMPLES)},
    )
    events = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert losses == [event["loss"] for event in events if event["event"] == "step"]


def test_sessions_made_before_keep_working(tmp_path: pathlib.Path) -> None:
    code = """
session = temper.Session(temper.artifacts(temper.from_text(SQUARE), loss="mse"))
x = numpy.ones([3, 2], "float32")
first = session.train_step(x, x).loss
temper.load_plugins(WHOLE)
print(json.dumps([first, session.train_step(x, x).loss]))
"""
    first, second = told_by(code, tmp_path)
    assert first == second


def test_broken_ones_are_warnings_and_the_rest_is_loaded(tmp_path: pathlib.Path) -> None:
    code = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    plugins = temper.load_plugins()
print(json.dumps([[plugin.name for plugin in plugins],
                  [(each.category.__name__, str(each.message)) for each in caught]]))
"""
    path = f"{BROKEN}:{EXAMPLES}"
    names, caught = told_by(code, tmp_path, TEMPER_PLUGIN_PATH=path)
    assert names == ["libsvm", "swish"]
    assert len(caught) == 10 and {category for category, _ in caught} == {"RuntimeWarning"}
    messages = [message for _, message in caught]
    crash = next(message for message in messages if "crashes.so" in message)
    assert "is not loaded: It crashed while being loaded" in crash
    assert any("exit status 3" in message for message in messages)


def test_folders_that_can_not_be_used_are_errors(tmp_path: pathlib.Path) -> None:
    (tmp_path / "folder").mkdir()
    code = """
said = []
for folder in ("folder", "missing", 3):
    try:
        temper.load_plugins(folder)
    except (temper.InvalidInputError, FileNotFoundError, TypeError) as error:
        said.append([type(error).__name__, str(error)])
print(json.dumps(said))
"""
    relative, missing, number = told_by(code, tmp_path)
    assert relative[0] == "InvalidInputError" and "absolute path" in relative[1]
    assert missing[0] == "MissingFileError" and "does not exist" in missing[1]
    assert number[0] == "ArgumentTypeError"
