# SPDX-License-Identifier: Apache-2.0
"""What can be pickled, copied and closed."""

from __future__ import annotations

import concurrent.futures
import copy
import multiprocessing
import pathlib
import pickle
from typing import Any

import numpy
import pytest

import temper


def unpickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def test_models_are_pickled_whole_and_copied_as_themselves(mlp: temper.Model) -> None:
    again = unpickled(mlp)
    assert (again.to_bytes(), again.origin) == (mlp.to_bytes(), mlp.origin)
    assert [value.shape for value in again.inputs] == [("batch", 4)]
    assert copy.deepcopy(mlp) is mlp and copy.copy(mlp) is mlp


def losses(made: temper.Artifacts, x: numpy.ndarray, labels: numpy.ndarray) -> list[float]:
    session = temper.Session(made)
    results = []
    for _ in range(3):
        results.append(session.train_step(x, labels).loss)
        session.optimizer_step()
        session.reset_gradients()
    return [*results, session.eval_step(x, labels).loss]


def test_artifacts_are_pickled_whole(
    mlp: temper.Model, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    made = temper.artifacts(
        mlp,
        freeze=["fc1.weight"],
        optimizer=temper.optimizers.Lion(lr=0.01),
        parameter_groups=[{"pattern": "*.bias", "learning_rate_factor": 0.5}],
        prefix="small_",
    )
    again = unpickled(made)
    assert losses(again, x, labels) == losses(made, x, labels)
    assert (again.trainable, again.frozen) == (made.trainable, made.frozen)
    assert [found.code for found in again.findings] == [found.code for found in made.findings]
    made.save(tmp_path / "made")
    again.save(tmp_path / "again")
    names = sorted(file.name for file in (tmp_path / "made").iterdir())
    assert "small_training_model.onnx" in names
    for name in names:
        expected = (tmp_path / "made" / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == expected, name
    assert copy.deepcopy(made) is made


def test_artifacts_without_eval_and_optimizer_model_are_pickled(
    art: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for name in ("training_model.onnx", "checkpoint"):
        (tmp_path / name).write_bytes((art / name).read_bytes())
    again = unpickled(temper.load_artifacts(tmp_path))
    assert again.eval_model is None and again.optimizer_model is None
    assert temper.Session(again).input_names == ["x", "labels"]


def test_a_pool_of_processes_trains(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    made = temper.artifacts(mlp)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        assert pool.submit(losses, made, x, labels).result() == losses(made, x, labels)


def test_checkpoints_are_copied_and_their_views_are_not(art: pathlib.Path) -> None:
    checkpoint = temper.Checkpoint.load(art / "checkpoint")
    other = copy.deepcopy(checkpoint)
    other["fc1.bias"].data[:] = 5
    assert not numpy.array_equal(checkpoint["fc1.bias"].data, other["fc1.bias"].data)
    for view in (checkpoint["fc1.bias"], checkpoint.properties):
        for attempt in (pickle.dumps, copy.deepcopy, copy.copy):
            with pytest.raises(TypeError, match="a view of"):
                attempt(view)


def test_a_session_is_not_pickled_and_says_why(art: pathlib.Path) -> None:
    with temper.Session(art) as session:
        for attempt in (pickle.dumps, copy.deepcopy, copy.copy):
            with pytest.raises(TypeError) as caught:
                attempt(session)
            assert isinstance(caught.value, temper.ArgumentTypeError)
            assert caught.value.message == "A session can't be pickled: it has threads."
            assert caught.value.hint == "Pickle its checkpoint, and make a session from it."
        again = temper.Session(art, unpickled(session.checkpoint))
        assert again.checkpoint.keys() == session.checkpoint.keys()


def test_results_are_pickled(
    art: pathlib.Path, mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    checks = temper.gradcheck(mlp, {"x": x, "labels": labels})
    again = unpickled(checks)
    assert list(again) == list(checks) and again.passed
    worst = checks["fc1.weight"]
    assert again["fc1.weight"].max_relative_error == worst.max_relative_error
    assert again["fc1.weight"].rounding_error == worst.rounding_error
    wide = temper.Checkpoint.of(temper.artifacts(mlp, head_classes=5, head_seed=1))
    diff = temper.diff(art / "checkpoint", wide)
    other = unpickled(diff)
    fields = [name for name in dir(temper.ParameterDiff) if not name.startswith("_")]
    assert len(fields) > 9
    for name in diff:
        for field in fields:
            assert getattr(other[name], field) == getattr(diff[name], field)


def test_an_inference_session_is_closed_and_pickled(mlp: temper.Model, x: numpy.ndarray) -> None:
    with temper.InferenceSession(mlp) as session:
        (expected,) = session.run(None, {"x": x})
        (result,) = unpickled(session).run(None, {"x": x})
        numpy.testing.assert_array_equal(result, expected)
        assert repr(session) == "<InferenceSession, <Model '(text)' with 3 nodes>>"
    for call in (session.get_inputs, session.get_outputs, lambda: session.run(None, {"x": x})):
        with pytest.raises(temper.StateError, match="^The inference session is closed."):
            call()
    assert repr(session) == "<InferenceSession, closed>"
    session.close()


def test_state_dicts(art: pathlib.Path) -> None:
    first = temper.Checkpoint.load(art / "checkpoint")
    second = temper.Checkpoint.load(art / "checkpoint")
    arrays = first.state_dict()
    assert list(arrays) == list(first)
    arrays["fc1.bias"][:] = 3
    assert not (first["fc1.bias"].data == 3).any()
    second.load_state_dict(arrays)
    assert (second["fc1.bias"].data == 3).all()
    del arrays["fc2.bias"]
    arrays["more"] = numpy.zeros(1, numpy.float32)
    arrays["fc1.bias"] = numpy.full(5, 4, numpy.float32)
    with pytest.raises(temper.InvalidInputError, match="'fc2.bias' is missing, 'more' is surplus"):
        second.load_state_dict(arrays)
    assert (second["fc1.bias"].data == 3).all()
    second.load_state_dict(arrays, strict=False)
    assert (second["fc1.bias"].data == 4).all()


def test_an_address_is_no_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="Download it first"):
        temper.open("https://example.org/model.onnx")
    with pytest.raises(FileNotFoundError) as caught:
        temper.open(tmp_path / "none.onnx")
    assert "Download" not in str(caught.value)


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
