# SPDX-License-Identifier: Apache-2.0
"""What people who tried the module for the first time ran into."""

from __future__ import annotations

import importlib.util
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy
import pytest

import temper

USES = {
    "steps": "session = temper.Session(made)\n"
    "while True: session.train_step(x, labels)",
    "run": "temper.fit(made, (x, labels), epochs=10**9, batch_size=1)",
    "callbacks": "temper.fit(made, (x, labels), epochs=10**9, batch_size=1, on_step=print_not)",
    "inference": "session = temper.InferenceSession(temper.from_text("
    "'(float[N, 4] x) => (y) { y = Exp(x) }'))\n"
    "while True: session.run(None, {'x': x})",
}


@pytest.mark.parametrize("use", USES)
def test_a_program_may_end_while_a_thread_computes(use: str, art: pathlib.Path) -> None:
    body = "\n".join("    " + line for line in USES[use].splitlines())
    program = f"""
import threading, time, numpy, temper
made = temper.load_artifacts({str(art)!r})
x, labels = numpy.zeros([16, 4], "float32"), numpy.zeros([16], "int64")
def print_not(step): pass
def work():
{body}
for _ in range(2): threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=200
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_run_begins_with_the_rate_of_the_optimizer_or_the_session(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    optimizer = temper.optimizers.AdamW(lr=0.5)
    data = (x, labels)
    assert temper.fit(mlp, data, optimizer=optimizer, steps=1).learning_rates == [0.5]
    session = temper.Session(temper.artifacts(mlp, optimizer=optimizer))
    assert temper.fit(session, data, steps=1).learning_rates == [0.5]
    session.learning_rate = 0.25
    assert temper.fit(session, data, steps=2).learning_rates == [0.25]
    assert temper.fit(session, data, steps=3, lr=0.125).learning_rates == [0.125]


@pytest.mark.parametrize("rate", [float("nan"), -1, float("inf"), 1e300, None, "0.1"])
def test_a_rate_that_is_none_is_refused(mlp: temper.Model, rate: Any) -> None:
    session = temper.Session(temper.artifacts(mlp))
    with pytest.raises((temper.InvalidInputError, temper.ArgumentTypeError)):
        session.learning_rate = rate
    assert session.learning_rate == pytest.approx(0.001)


def test_gradients_of_a_loss_that_is_nan_do_not_pass(mlp: temper.Model) -> None:
    feeds = {"x": numpy.full([4, 4], numpy.nan, "f4"), "labels": numpy.zeros(4, "i8")}
    with pytest.raises(temper.NumericError, match="The loss is not a finite number"):
        temper.gradcheck(mlp, feeds)


def test_runs_and_the_errors_that_have_them_are_pickled(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    run = temper.fit(mlp, (x, labels), eval_data=(x, labels), epochs=2)
    copy = pickle.loads(pickle.dumps(run))
    assert repr(copy) == repr(run)
    assert copy.best and run.best and dict(copy.best.metrics) == dict(run.best.metrics)
    numpy.testing.assert_array_equal(copy.losses, run.losses)
    copy.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 1000
    with pytest.raises(temper.StateError, match="A run that was pickled has no session"):
        copy.session

    def fail(step: temper.Step) -> None:
        raise ValueError("my own problem")

    with pytest.raises(ValueError) as caught:
        temper.fit(mlp, (x, labels), epochs=2, on_step=fail)
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == "my own problem" and error.run.step == 1
    with pytest.raises(temper.ArgumentTypeError, match="Gradients can't be pickled"):
        pickle.dumps(run.session.gradients)


def test_an_error_may_quote_part_of_a_character() -> None:
    with pytest.raises(temper.InvalidInputError, match="^Line 1, column 27: "):
        temper.from_text("(float[N] x) => (y) { y = é(x) }")


def test_settings_may_be_numbers_of_numpy(mlp: temper.Model) -> None:
    five: Any = numpy.int64(5)
    made = temper.artifacts(mlp, head_classes=five)
    assert temper.Checkpoint.of(made)["fc2.bias"].data.shape == (5,)
    temper.Session(made, seed=five, threads=five)
    nothing: Any = object()
    with pytest.raises(temper.ArgumentTypeError, match="A setting can't be <object"):
        temper.artifacts(mlp, head_classes=nothing)


def test_properties_do_not_become_infinite(mlp: temper.Model) -> None:
    properties = temper.Checkpoint.of(temper.artifacts(mlp)).properties
    for number in (2**200, 2**2000, 1e39, -1e39):
        with pytest.raises(temper.InvalidInputError, match="too large for a property"):
            properties["number"] = number
    properties["number"] = 2**63
    assert properties["number"] == float(2**63)


def test_arrays_of_another_shape_leave_the_parameters_as_before(mlp: temper.Model) -> None:
    checkpoint = temper.Checkpoint.of(temper.artifacts(mlp))
    before = checkpoint.state_dict()
    arrays = {name: array + 1 for name, array in before.items()}
    arrays["fc2.bias"] = numpy.zeros(7, "f4")
    with pytest.raises(temper.InvalidInputError, match="'fc2.bias' is float32\\[3\\]"):
        checkpoint.load_state_dict(arrays)
    for name, array in before.items():
        numpy.testing.assert_array_equal(checkpoint[name].data, array)


def test_artifacts_from_files_know_what_trains(art: pathlib.Path, mlp: temper.Model) -> None:
    loaded = temper.load_artifacts(art)
    assert sorted(loaded.trainable) == sorted(mlp.parameter_names) and loaded.frozen == []


def test_inference_takes_the_arguments_of_onnxruntime(
    mlp: temper.Model, x: numpy.ndarray
) -> None:
    session = temper.InferenceSession(mlp, providers=["CPUExecutionProvider"])
    assert session.run("logits", {"x": x}, None)[0].shape == (16, 3)
    assert [each.type for each in session.get_inputs()] == ["tensor(float)"]


def test_others_may_ask_for_onnxruntime() -> None:
    temper.as_onnxruntime_training()
    for name in ("onnxruntime", "onnxruntime.capi", "onnxruntime.capi._pybind_state"):
        assert importlib.util.find_spec(name) is not None
