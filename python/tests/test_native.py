# SPDX-License-Identifier: Apache-2.0
"""The native interface: models, artifacts, checkpoints, sessions, inference, errors."""

from __future__ import annotations

import ctypes
import os
import pathlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import temper


def test_a_model_tells_inputs_outputs_and_parameters(mlp: temper.Model) -> None:
    assert [(value.name, value.dtype, value.shape) for value in mlp.inputs] == [
        ("x", "float32", ("batch", 4))
    ]
    assert [value.name for value in mlp.outputs] == ["logits"]
    assert [(p.name, p.shape, p.kind, p.trains) for p in mlp.parameters] == [
        ("fc1.weight", (5, 4), "trainable", True),
        ("fc1.bias", (5,), "trainable", True),
        ("fc2.weight", (3, 5), "trainable", True),
        ("fc2.bias", (3,), "trainable", True),
    ]
    assert mlp.parameter_names == [parameter.name for parameter in mlp.parameters]
    assert mlp.findings == []
    assert mlp.opset == 17


def test_findings_are_objects_that_name_what_does_not_train() -> None:
    model = temper.from_text(
        "(float[N, 2] x) => (y) <float[2, 2] w = {1.0, 2.0, 3.0, 4.0}> "
        "{ h = MatMul(x, w) y = Round(h) }"
    )
    (finding,) = [found for found in model.findings if found.severity == "error"]
    assert (finding.code, finding.op, finding.parameters) == ("G002", "Round", ["w"])
    assert finding.message in str(finding)
    assert [parameter.trains for parameter in model.parameters] == [False]


def test_a_model_opens_from_a_path_bytes_and_itself(
    mlp: temper.Model, mlp_path: pathlib.Path
) -> None:
    data = mlp.to_bytes()
    for source in (mlp_path, str(mlp_path), data, bytearray(data), memoryview(data)):
        assert temper.open(source).to_bytes() == data
    assert temper.open(mlp) is mlp


def test_what_is_no_model_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError, match="^Expected a model; found int."):
        temper.open(3)
    with pytest.raises(FileNotFoundError):
        temper.open(tmp_path / "none.onnx")
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(temper.InvalidInputError, match="text.onnx"):
        temper.open(tmp_path / "text.onnx")


def test_artifacts_without_a_folder_stay_in_memory(mlp: temper.Model) -> None:
    made = temper.artifacts(mlp, freeze=["fc1.*"], optimizer=None)
    assert (made.trainable, made.frozen) == (
        ["fc2.weight", "fc2.bias"],
        ["fc1.weight", "fc1.bias"],
    )
    assert made.optimizer_model is None
    assert temper.Session(made).checkpoint["fc1.weight"].requires_grad is False


def test_hyperparameters_come_in_a_mapping(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    smooth = temper.artifacts(mlp, loss={"key": "cross-entropy", "label_smoothing": 0.2})
    plain = temper.artifacts(mlp)
    losses = [temper.Session(made).train_step(x, labels).loss for made in (smooth, plain)]
    logits = temper.run(mlp, x)["logits"].astype(float)
    log = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
    hard, even = log[numpy.arange(16), labels].mean(), log.mean()
    assert losses[1] == pytest.approx(-hard, rel=1e-5)
    assert losses[0] == pytest.approx(-(0.8 * hard + 0.2 * even), rel=1e-5)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"loss": "mee"}, "mee"),
        ({"optimizer": "adamx"}, "adamx"),
        ({"optimizer": {"key": "adamw", "decay": 1}}, "decay"),
    ],
)
def test_unknown_choices_are_named(
    arguments: dict[str, Any], message: str, mlp: temper.Model
) -> None:
    with pytest.raises(temper.InvalidInputError, match=message):
        temper.artifacts(mlp, **arguments)


@pytest.mark.parametrize("loss", [3, ["mse"], {"name": "mse"}])
def test_a_selection_of_another_kind_is_a_type_error(loss: object, mlp: temper.Model) -> None:
    with pytest.raises(TypeError, match="^Expected a name or a mapping for the loss; found"):
        temper.artifacts(mlp, loss=loss)  # type: ignore[arg-type]


def test_a_session_continues_from_a_saved_checkpoint(
    art: pathlib.Path, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    def step(session: temper.Session) -> float:
        loss = session.train_step(x, labels).loss
        session.optimizer_step()
        session.reset_gradients()
        return loss

    session = temper.Session(art)
    session.learning_rate = 0.01
    for _ in range(3):
        step(session)
    session.checkpoint.properties["note"] = "half"
    session.checkpoint.save(tmp_path / "saved")
    again = temper.Session(art, tmp_path / "saved")
    assert again.learning_rate == session.learning_rate == pytest.approx(0.01)
    assert again.checkpoint.step == 3
    assert again.checkpoint.properties["note"] == "half"
    assert [step(again) for _ in range(3)] == [step(session) for _ in range(3)]


def test_gradients_are_views_by_name(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    session.train_step(x, labels)
    gradients = session.gradients
    assert list(gradients) == ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    total = numpy.sqrt(sum((gradient.astype(float) ** 2).sum() for gradient in gradients.values()))
    assert session.gradient_norm() == pytest.approx(total, rel=1e-5)
    assert session.clip_gradients(total / 2) == pytest.approx(total, rel=1e-5)
    assert session.gradient_norm() == pytest.approx(total / 2, rel=1e-4)
    gradients["fc1.bias"][:] = 0
    numpy.testing.assert_array_equal(session.checkpoint["fc1.bias"].grad, numpy.zeros(5))


def test_gradients_match_finite_differences(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    session.train_step(x, labels)
    bias = session.checkpoint["fc2.bias"].data
    for index, expected in enumerate(session.gradients["fc2.bias"].copy()):
        losses = []
        for change in (0.01, -0.01):
            bias[index] += change
            losses.append(session.eval_step(x, labels).loss)
            bias[index] -= change
        assert (losses[0] - losses[1]) / 0.02 == pytest.approx(expected, abs=2e-4)


def test_eval_step_returns_any_values_of_the_model(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    values = session.eval_step(x, labels, values=["hidden", "positive"])
    assert list(values) == ["hidden", "positive"]
    numpy.testing.assert_array_equal(values["positive"], numpy.maximum(values["hidden"], 0))
    with pytest.raises(temper.NotFoundError, match="nothing"):
        session.eval_step(x, labels, values="nothing")


def test_a_closed_session_says_so(art: pathlib.Path, x: numpy.ndarray) -> None:
    with temper.Session(art) as session:
        checkpoint = session.checkpoint
    with pytest.raises(temper.StateError, match="^The session is closed."):
        session.train_step(x)
    assert len(checkpoint) == 4


def test_export_renames_and_leaves_nothing_after_an_error(
    art: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    temper.export(art, tmp_path / "a.onnx", rename={"logits": "scores"})
    model = temper.open(tmp_path / "a.onnx")
    assert [value.name for value in model.outputs] == ["scores"]
    with pytest.raises(temper.NotFoundError):
        temper.export(art, tmp_path / "b.onnx", ["nothing"])
    assert not (tmp_path / "b.onnx").exists()


def test_run_takes_inputs_in_order_by_name_or_as_a_mapping(
    mlp: temper.Model, x: numpy.ndarray
) -> None:
    expected = temper.run(mlp, x)["logits"]
    for outputs in (temper.run(mlp, x=x), temper.run(mlp, {"x": x})):
        numpy.testing.assert_array_equal(outputs["logits"], expected)
    hidden = temper.run(mlp, x, outputs="hidden")["hidden"]
    assert hidden.shape == (16, 5)


@pytest.mark.parametrize("feed", [[1.0], None, "x"])
def test_inputs_that_are_no_mapping_are_named(mlp: temper.Model, feed: Any) -> None:
    kind = type(feed).__name__
    with pytest.raises(temper.ArgumentTypeError, match=f"array for input 'x'; found {kind}"):
        temper.InferenceSession(mlp).run(None, feed)


def test_an_inference_session_runs_training_models(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.InferenceSession(art / "training_model.onnx")
    checkpoint = temper.Checkpoint.load(art / "checkpoint")
    feeds = {"x": x, "labels": labels, "lazy_reset_grad": numpy.array([True])}
    for name, parameter in checkpoint.items():
        feeds[name] = parameter.data
        feeds[name + "_grad.accumulation.buffer"] = numpy.zeros_like(parameter.data)
    loss = session.get_outputs()[0].name
    assert session.run([loss], feeds)[0] == temper.Session(art).train_step(x, labels).loss


def test_a_checkpoint_is_a_mapping_that_pickles(art: pathlib.Path) -> None:
    checkpoint = temper.Checkpoint.load(art / "checkpoint")
    assert list(checkpoint) == [name for name, _ in checkpoint.items()]
    number: object = 3
    assert "fc1.bias" in checkpoint
    assert "nothing" not in checkpoint and number not in checkpoint
    checkpoint.properties.update(epoch=2, note="text")
    del checkpoint.properties["note"]
    copy = pickle.loads(pickle.dumps(checkpoint))
    assert dict(copy.properties) == {"epoch": 2}
    for name in checkpoint:
        numpy.testing.assert_array_equal(copy[name].data, checkpoint[name].data)
    assert repr(copy) == "<Checkpoint: 4 parameters, 4 train, step 0>"


def test_checkpoints_of_the_same_artifacts_share_no_memory(mlp: temper.Model) -> None:
    made = temper.artifacts(mlp, freeze=["fc1.weight"])
    first, second = temper.Checkpoint.of(made), temper.Checkpoint.of(made)
    for name in first:
        before = second[name].data.copy()
        first[name].data[:] = 5
        numpy.testing.assert_array_equal(second[name].data, before)
        assert (temper.Checkpoint.of(made)[name].data == before).all()


class Foreign:
    """An array of another library: only __dlpack__."""

    def __init__(self, array: numpy.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **arguments: object) -> object:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_anything_with_dlpack_goes_in(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    expected = session.eval_step(x, labels).loss
    assert session.eval_step(Foreign(x), Foreign(labels)).loss == expected
    session.checkpoint["fc1.bias"] = Foreign(numpy.ones(5, numpy.float32))
    numpy.testing.assert_array_equal(session.checkpoint["fc1.bias"].data, numpy.ones(5))
    numpy.testing.assert_array_equal(
        numpy.from_dlpack(session.checkpoint["fc1.bias"]), numpy.ones(5)
    )


@pytest.mark.parametrize("kind", ["dlpack", "packed", "big-endian"])
def test_arrays_of_any_layout_and_byte_order_go_in(
    kind: str, art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    records = numpy.empty(len(x), [("x", "=f4", (4,)), ("label", "=i8"), ("flag", "i1")])
    records["x"], records["label"] = x, labels
    assert records.strides[0] % 4 == 1  # NumPy does not export such strides
    arrays: dict[str, tuple[Any, Any]] = {
        "dlpack": (Foreign(numpy.asfortranarray(x)), Foreign(numpy.repeat(labels, 2)[::2])),
        "packed": (records["x"], records["label"]),
        "big-endian": (x.astype(">f4"), labels.astype(">i8")),
    }
    session = temper.Session(art)
    expected = session.eval_step(x, labels).loss
    assert session.eval_step(*arrays[kind]).loss == expected
    bias = numpy.arange(5, dtype=numpy.float32)
    session.checkpoint["fc1.bias"] = bias.astype(">f4")
    numpy.testing.assert_array_equal(session.checkpoint["fc1.bias"].data, bias)


def test_wrong_shapes_and_element_types_name_the_input(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    session.train_step(x, labels)
    before = {name: gradient.copy() for name, gradient in session.gradients.items()}
    wrong: dict[str, tuple[Any, Any]] = {
        r"'x' is float32\[16, ?3\]; the model expects float32\[batch, ?4\]": (x[:, :3], labels),
        r"'x' is float32\[64\]; the model expects float32\[batch, ?4\]": (x.ravel(), labels),
        r"'labels' is int32\[16\]; the model expects int64": (x, labels.astype(numpy.int32)),
    }
    for message, arrays in wrong.items():
        for step in (session.train_step, session.eval_step):
            with pytest.raises(temper.InvalidInputError, match=f"Input {message}"):
                step(*arrays)
    with pytest.raises(TypeError, match="^The array for input 'x' has an element type that models"):
        session.train_step(numpy.zeros([16, 4], "datetime64[s]"), labels)
    for name, gradient in session.gradients.items():
        numpy.testing.assert_array_equal(gradient, before[name])


class OnAnotherDevice(Foreign):
    """Stands for an array in the memory of a GPU."""

    CUDA = 2  # kDLCUDA

    def __dlpack__(self, **arguments: object) -> object:
        capsule = super().__dlpack__()
        # the struct DLManagedTensor begins with the address of the data, then the kind of device
        function = ctypes.pythonapi.PyCapsule_GetPointer
        function.restype, function.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = function(capsule, b"dltensor")
        ctypes.c_int32.from_address(address + ctypes.sizeof(ctypes.c_void_p)).value = self.CUDA
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.CUDA, 0


def test_an_array_on_another_device_is_refused(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    calls: dict[str, Callable[[], object]] = {
        "input 'x'": lambda: session.train_step(OnAnotherDevice(x), labels),
        "input 'labels'": lambda: session.eval_step(x, OnAnotherDevice(labels)),
        "parameter 'fc1.bias'": lambda: session.checkpoint.__setitem__(
            "fc1.bias", OnAnotherDevice(numpy.ones(5, numpy.float32))
        ),
    }
    for what, call in calls.items():
        with pytest.raises(TypeError) as caught:
            call()
        assert isinstance(caught.value, temper.ArgumentTypeError)
        assert f"The array for {what} is in the memory of another device." in str(caught.value)
        assert "x.cpu()" in caught.value.hint
    assert session.train_step(x, labels).loss > 0


LARGE_BATCH = r"""
import re, sys
import numpy, temper

def peak():
    # not that of getrusage(), which begins with the parent's
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024

class Foreign:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

model = temper.from_text(
    "(float[N, 64] x) => (float[N, 1] y) <float[64, 1] w = {%s}> { y = MatMul(x, w) }"
    % ", ".join(["0.5"] * 64)
)
session = temper.Session(temper.artifacts(model, loss="mse"), threads=1)
ROWS = 1 << 18  # 64 MiB
x = numpy.ones([ROWS, 128 if sys.argv[1] == "spread" else 64], numpy.float32)[:, -64:]
target = numpy.ones([ROWS, 1], numpy.float32)
given = Foreign(x) if sys.argv[1] == "dlpack" else x
before = peak()
session.train_step(given, target)
print((peak() - before) / x.nbytes)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux tells the peak there")
def test_a_step_does_not_copy_a_contiguous_array() -> None:
    def share(layout: str) -> float:
        """The memory that the step takes, as a share of that of the array."""
        command = [sys.executable, "-c", LARGE_BATCH, layout]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert share("whole") < 0.5
    assert share("dlpack") < 0.5
    assert share("spread") >= 1  # which has to be copied


@pytest.mark.parametrize("dtype", ["U", "S", "O"])
def test_texts_go_in_and_come_out(dtype: str) -> None:
    model = temper.from_text("(string[N, 2] x) => (string[N, 2] y) { y = Identity(x) }")
    texts = numpy.array([["a", "longer"], ["", "c"]]).astype(dtype)
    outputs = temper.run(model, texts)["y"]
    assert outputs.dtype == object
    assert outputs.tolist() == [["a", "longer"], ["", "c"]]
    with pytest.raises(TypeError, match="^The array for input 'x' holds NoneType; expected texts"):
        temper.run(model, numpy.array([[None, "a"]], object))


@pytest.mark.parametrize("value", ["text", object(), None, {"a": 1}])
def test_what_is_no_array_is_a_type_error(
    value: object, art: pathlib.Path, labels: numpy.ndarray
) -> None:
    with pytest.raises(temper.ArgumentTypeError) as caught:
        temper.Session(art).train_step(value, labels)
    kind = type(value).__name__
    assert caught.value.message == f"Expected an array for input 'x'; found {kind}."


def test_every_error_is_a_temper_error_and_pickles(mlp: temper.Model) -> None:
    errors = [
        temper.Error("a", "b"),
        temper.NotFoundError("a", "b"),
        temper.FileError("a", "b"),
        temper.MissingFileError("a", "b", "/path"),
        temper.UnsupportedError("a"),
    ]
    with pytest.raises(temper.ArtifactsError) as caught:
        temper.artifacts(mlp, train=["nothing"])
    errors.append(caught.value)
    for error in errors:
        assert isinstance(error, temper.Error) and isinstance(error, RuntimeError)
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy)) == (type(error), str(error))
        assert vars(copy).keys() == vars(error).keys()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert [f.message for f in copy.findings] == [f.message for f in caught.value.findings]


def test_files_that_can_not_be_written_are_os_errors(
    art: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    checkpoint = temper.Checkpoint.load(art / "checkpoint")
    with pytest.raises(OSError) as caught:
        checkpoint.save(tmp_path / "none" / "checkpoint")
    assert isinstance(caught.value, temper.Error)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    "name, error, words",
    [
        ("optimizer_step", temper.StateError, "optimizer model"),
        ("learning_rate", temper.StateError, "optimizer model"),
        ("clip_gradients", temper.InvalidInputError, "more than 0"),
        ("element_type", temper.InvalidInputError, "expects float32"),
        ("unknown_value", temper.NotFoundError, "nope"),
        ("buffer", temper.InvalidInputError, "Expected: 43 float32"),
        ("seed", temper.InvalidInputError, "'seed' is -1"),
        ("seed_kind", TypeError, "whole number"),
        ("run_input", temper.InvalidInputError, "takes 1 input"),
        ("run_output", temper.NotFoundError, "nope"),
        ("run_sequence", temper.UnsupportedError, "Output 's' is seq.*expected a tensor"),
        ("run_optional", temper.UnsupportedError, "Input 'o' is optional.*expected a tensor"),
    ],
)
def test_errors_are_those_of_the_documentation(
    name: str, error: type[Exception], words: str, mlp: temper.Model, x: numpy.ndarray
) -> None:
    session = temper.Session(temper.artifacts(mlp, optimizer=None))
    labels = numpy.zeros(len(x), numpy.int64)
    inference = temper.InferenceSession(mlp)
    seed: Any = "one"
    calls: dict[str, Callable[[], object]] = {
        "optimizer_step": session.optimizer_step,
        "learning_rate": lambda: session.learning_rate,
        "clip_gradients": lambda: session.clip_gradients(0),
        "element_type": lambda: session.eval_step(x.astype(float), labels),
        "unknown_value": lambda: session.eval_step(x, labels, values="nope"),
        "buffer": lambda: session.parameters_from_array(numpy.zeros(3, numpy.float32)),
        "seed": lambda: session.set_seed(-1),
        "seed_kind": lambda: session.set_seed(seed),
        "run_input": lambda: temper.run(mlp),
        "run_output": lambda: inference.run(["nope"], {"x": x}),
        "run_sequence": lambda: temper.run(
            temper.from_text("(float[N] x) => (seq(float[]) s) { s = SequenceConstruct(x) }"), x
        ),
        "run_optional": lambda: temper.run(
            temper.from_text("(optional(float[N]) o) => (float[N] y) { y = OptionalGetElement(o) }")
        ),
    }
    with pytest.raises(error, match=words) as caught:
        calls[name]()
    assert isinstance(caught.value, temper.Error)


def test_an_error_may_quote_part_of_a_character() -> None:
    with pytest.raises(temper.InvalidInputError, match="^Line 1, column 27: "):
        temper.from_text("(float[N] x) => (y) { y = é(x) }")
