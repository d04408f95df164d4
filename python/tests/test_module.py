# SPDX-License-Identifier: Apache-2.0
"""Module of onnxruntime.training.api, member by member."""

from __future__ import annotations

import os
import pathlib
import sys
import types
from typing import Any

import numpy
import pytest
from conftest import Loop, gradient

import temper
from temper.onnxruntime.training import api


def test_paths_may_be_text_or_paths(art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    module = api.Module(str(art / "training_model.onnx"), state, art / "eval_model.onnx")
    assert module.training is True
    assert module._state is state


def test_a_missing_model_is_a_file_not_found_error(art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    with pytest.raises(FileNotFoundError, match="^The training model '/none' does not exist."):
        api.Module("/none", state)
    with pytest.raises(TypeError, match="^Expected a CheckpointState; found str."):
        api.Module(art / "training_model.onnx", "checkpoint")  # type: ignore[arg-type]


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_device_cpu(device: str, art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    assert api.Module(art / "training_model.onnx", state, device=device).input_names() == [
        "x",
        "labels",
    ]


def test_another_device_is_refused(art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    for device in ("cuda", "cuda:1"):
        with pytest.raises(temper.UnsupportedError, match=device):
            api.Module(art / "training_model.onnx", state, device=device)
    with pytest.raises(TypeError, match="^Expected a device's name; found int."):
        api.Module(art / "training_model.onnx", state, device=0)  # type: ignore[arg-type]


class SessionOptions:
    """Stands for onnxruntime's: the attributes that Module reads."""

    intra_op_num_threads = 0
    enable_profiling = False
    graph_optimization_level = 99


def number_of_threads(
    art: pathlib.Path, options: SessionOptions, x: numpy.ndarray, labels: numpy.ndarray
) -> int:
    """How many threads the process has more with a module that has trained."""
    before = len(os.listdir("/proc/self/task"))
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    module = api.Module(art / "training_model.onnx", state, session_options=options)
    module(x, labels)
    return len(os.listdir("/proc/self/task")) - before


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="Linux counts threads there")
def test_session_options_give_the_number_of_threads(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    counts = []
    for threads in (1, 3, 6):
        options = SessionOptions()
        options.intra_op_num_threads = threads
        counts.append(number_of_threads(art, options, x, labels))
    assert counts[1] == counts[0] + 2 and counts[2] == counts[0] + 5


def test_session_options_that_cannot_be_kept_are_refused(art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    options = SessionOptions()
    options.enable_profiling = True
    with pytest.raises(temper.UnsupportedError, match="^The session options ask for a profile"):
        api.Module(art / "training_model.onnx", state, session_options=options)
    with pytest.raises(TypeError, match="^Expected session options; found dict."):
        api.Module(art / "training_model.onnx", state, session_options={})


def test_the_loss_is_a_bare_or_first_0_dimensional_float32_array(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    temper.artifacts(mlp_path, tmp_path)
    loss = Loop(tmp_path).module(x, labels)
    assert type(loss) is numpy.ndarray
    assert (loss.dtype, loss.shape) == (numpy.float32, ())
    assert f"{loss:.4f}" == f"{float(loss):.4f}"
    assert sum([loss, loss]) == 2 * loss


def test_several_outputs_come_as_a_tuple(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    results = loop.module(x, labels)
    assert type(results) is tuple
    assert [result.shape for result in results] == [(), (16, 3)]


def test_results_belong_to_the_caller(loop: Loop, x: numpy.ndarray, labels: numpy.ndarray) -> None:
    logits = loop.module(x, labels)[1]
    before = logits.copy()
    loop.step(x * 2, labels)
    numpy.testing.assert_array_equal(logits, before)


def test_lists_among_arrays_are_converted_and_none_is_dropped(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop.module.eval()
    expected = loop.module(x, labels)[0]
    assert loop.module(x, None, list(map(int, labels)))[0] == expected


class Tensor:
    """Stands for a tensor of another library: what it has is __dlpack__."""

    def __init__(self, array: numpy.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def test_tensors_of_other_libraries_go_in(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop.module.eval()
    expected = loop.module(x, labels)[0]
    assert loop.module(Tensor(x.copy()), Tensor(labels.copy()))[0] == expected
    values = numpy.arange(43, dtype=numpy.float32)
    loop.module.copy_buffer_to_parameters(Tensor(values))
    numpy.testing.assert_array_equal(loop.module.get_contiguous_parameters().numpy(), values)


class OrtValue:
    """Stands for onnxruntime's: what is used of it."""

    def __init__(self, array: numpy.ndarray) -> None:
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(array: numpy.ndarray) -> OrtValue:
        return OrtValue(array)

    def numpy(self) -> numpy.ndarray:
        return self._array


@pytest.fixture
def ort_value(monkeypatch: pytest.MonkeyPatch) -> type[OrtValue]:
    """As if onnxruntime were installed."""
    package = types.ModuleType("onnxruntime")
    package.OrtValue = OrtValue  # type: ignore[attr-defined]
    monkeypatch.setattr(OrtValue, "__module__", package.__name__)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    return OrtValue


def test_ort_values_only_give_ort_values(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray, ort_value: type[OrtValue]
) -> None:
    loop.module.eval()
    loss, logits = loop.module(x, labels)
    values = {"labels": ort_value(labels), "x": ort_value(x)}
    for outputs in (
        loop.module(values["x"], values["labels"]),
        loop.module(**values),
        loop.module(values),
    ):
        assert [type(output) for output in outputs] == [ort_value] * 2
        assert outputs[0].numpy() == loss
        numpy.testing.assert_array_equal(outputs[1].numpy(), logits)
    mixed = loop.module(x, values["labels"])
    assert type(mixed[0]) is numpy.ndarray and mixed[0] == loss
    buffer = numpy.arange(43, dtype=numpy.float32)
    loop.module.copy_buffer_to_parameters(ort_value(buffer))
    numpy.testing.assert_array_equal(loop.module.get_contiguous_parameters().numpy(), buffer)


def test_inputs_may_be_named(loop: Loop, x: numpy.ndarray, labels: numpy.ndarray) -> None:
    loop.module.eval()
    expected = loop.module(x, labels)[0]
    assert loop.module(labels=labels, x=x)[0] == expected
    assert loop.module({"x": x, "labels": labels})[0] == expected
    assert loop.module(types.MappingProxyType({"labels": labels, "x": x}))[0] == expected
    assert loop.module({"x": x}, labels=labels)[0] == expected
    assert loop.module(x, labels=labels)[0] == expected


@pytest.mark.parametrize(
    ("in_order", "names", "problem"),
    [
        (0, ["x", "label"], "'labels' is missing, 'label' is surplus"),
        (0, ["x"], "'labels' is missing"),
        (1, ["x"], "'labels' is missing, 'x' is surplus"),
        (2, ["x"], "'x' is surplus"),
        (1, ["labels", "more"], "'more' is surplus"),
    ],
)
def test_names_of_other_inputs_are_refused(
    loop: Loop, x: numpy.ndarray, in_order: int, names: list[str], problem: str
) -> None:
    with pytest.raises(temper.InvalidInputError) as caught:
        loop.module(*[x] * in_order, **dict.fromkeys(names, x))
    assert caught.value.message == f"The model takes the inputs x, labels: {problem}."


def test_all_inputs_as_one_list_names_todays_spelling(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    with pytest.raises(temper.ArgumentTypeError) as caught:
        loop.module([x, labels])
    assert caught.value.hint == "Write module(*inputs)."


@pytest.mark.parametrize("dtypes", [("float64", "int64"), ("float32", "int32")])
def test_other_dtypes_are_refused_and_change_nothing(
    dtypes: tuple[str, str], loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop.module(x, labels)
    before = gradient(loop.state, "fc1.weight").copy()
    wrong = dtypes[0] if dtypes[0] != "float32" else dtypes[1]
    with pytest.raises(RuntimeError, match=wrong):
        loop.module(x.astype(dtypes[0]), labels.astype(dtypes[1]))
    numpy.testing.assert_array_equal(gradient(loop.state, "fc1.weight"), before)
    loop.module(x, labels)
    numpy.testing.assert_allclose(gradient(loop.state, "fc1.weight"), 2 * before, rtol=1e-5)


def test_wrong_number_of_inputs_names_them(loop: Loop, x: numpy.ndarray) -> None:
    with pytest.raises(temper.Error) as caught:
        loop.module(x)
    assert caught.value.message == "The model takes 2 inputs (x, labels); found 1."


def test_any_strides_and_read_only_arrays(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop.module.eval()
    expected = loop.module(x, labels)[0]
    fortran = numpy.asfortranarray(x)
    fortran.setflags(write=False)
    spread = numpy.repeat(labels, 2)[::2]
    spread.setflags(write=False)
    assert loop.module(fortran, spread)[0] == expected
    assert loop.module(x[::-1], labels[::-1])[0] == pytest.approx(expected, rel=1e-6)


def test_train_and_eval_set_the_mode_and_return_the_module(loop: Loop) -> None:
    assert loop.module.eval() is loop.module
    assert loop.module.training is False
    assert loop.module.train() is loop.module
    assert loop.module.training is True
    assert loop.module.train(False).training is False


def test_eval_changes_no_gradient(loop: Loop, x: numpy.ndarray, labels: numpy.ndarray) -> None:
    loop.module.eval()
    loop.module(x, labels)
    numpy.testing.assert_array_equal(loop.state.parameters["fc1.weight"].grad, numpy.zeros([5, 4]))


def test_lazy_reset_grad_keeps_the_values_until_the_next_step(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    grad = gradient(loop.state, "fc1.weight")
    loop.module(x, labels)
    once = grad.copy()
    loop.module(x, labels)
    numpy.testing.assert_allclose(grad, 2 * once, rtol=1e-5)
    loop.module.lazy_reset_grad()
    numpy.testing.assert_allclose(grad, 2 * once, rtol=1e-5)
    loop.module(x, labels)
    numpy.testing.assert_array_equal(grad, once)


def test_contiguous_parameters_are_a_snapshot_in_the_order_of_the_graph(loop: Loop) -> None:
    buffer = loop.module.get_contiguous_parameters()
    names = ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    flat = numpy.concatenate([loop.state.parameters[name].data.reshape(-1) for name in names])
    numpy.testing.assert_array_equal(buffer.numpy(), flat)
    assert buffer.numpy().dtype == numpy.float32
    assert (buffer.shape(), buffer.data_type(), buffer.device_name()) == (
        [43],
        "tensor(float)",
        "cpu",
    )
    numpy.testing.assert_array_equal(numpy.from_dlpack(buffer), flat)
    assert type(buffer.to_dlpack()).__name__ == "PyCapsule"
    loop.state.parameters["fc1.bias"].data[:] = 9
    assert 9 not in buffer.numpy()


def test_parameters_size_counts_the_trainable_ones_by_default(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    temper.artifacts(mlp_path, tmp_path, train=["fc2.*"], nominal_checkpoint=True)
    module = Loop(tmp_path).module
    assert module.get_parameters_size() == 18
    assert module.get_parameters_size(False) == 43
    assert module.get_contiguous_parameters().shape() == [43]
    assert Loop(tmp_path, "nominal_checkpoint").module.get_parameters_size() == 18


def test_copying_a_buffer_takes_arrays_of_any_shape(loop: Loop) -> None:
    values = numpy.arange(43, dtype=numpy.float32)
    loop.module.copy_buffer_to_parameters(values.reshape(43, 1))
    numpy.testing.assert_array_equal(loop.state.parameters["fc2.bias"].data, [40, 41, 42])
    buffer = loop.module.get_contiguous_parameters()
    loop.module.copy_buffer_to_parameters(values * 0)
    loop.module.copy_buffer_to_parameters(buffer)
    numpy.testing.assert_array_equal(loop.state.parameters["fc2.bias"].data, [40, 41, 42])


def test_a_buffer_of_the_trainable_ones_leaves_the_frozen_ones(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    temper.artifacts(mlp_path, tmp_path, freeze=["fc1.bias", "fc2.weight"])
    loop = Loop(tmp_path)
    before = {name: value.data.copy() for name, value in loop.state.parameters}
    values = numpy.arange(23, dtype=numpy.float32)
    loop.module.copy_buffer_to_parameters(values)
    after = {name: value.data for name, value in loop.state.parameters}
    numpy.testing.assert_array_equal(after["fc1.weight"].ravel(), values[:20])
    numpy.testing.assert_array_equal(after["fc2.bias"], values[20:])
    for name in ("fc1.bias", "fc2.weight"):
        numpy.testing.assert_array_equal(after[name], before[name])
    flat = loop.module.get_contiguous_parameters(trainable_only=True).numpy()
    numpy.testing.assert_array_equal(flat, values)


def test_a_buffer_of_another_size_is_refused(loop: Loop) -> None:
    with pytest.raises(RuntimeError) as caught:
        loop.module.copy_buffer_to_parameters(numpy.zeros(42, numpy.float32))
    assert str(caught.value) == (
        "Parameters buffer size incorrect. Expected: 43 float32 numbers, found 42 float32."
    )
    before = loop.module.get_contiguous_parameters().numpy()
    with pytest.raises(RuntimeError, match="found 43 float64.$"):
        loop.module.copy_buffer_to_parameters(numpy.zeros(43))
    numpy.testing.assert_array_equal(loop.module.get_contiguous_parameters().numpy(), before)


def test_export_for_inferencing(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    loop.module.eval()
    expected = loop.module(x, labels)[1]
    for names in (["logits"], ("logits",)):
        loop.module.export_model_for_inferencing(tmp_path / "model.onnx", names)
        numpy.testing.assert_allclose(
            temper.run(tmp_path / "model.onnx", x)["logits"], expected, rtol=1e-6
        )
    loop.module.export_model_for_inferencing(tmp_path / "inner.onnx", ["hidden", "logits"])
    inner = temper.run(tmp_path / "inner.onnx", x)
    assert list(inner) == ["hidden", "logits"]
    values = {name: value.data for name, value in loop.state.parameters}
    hidden = x @ values["fc1.weight"].T + values["fc1.bias"]
    numpy.testing.assert_allclose(inner["hidden"], hidden, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match="^graph_output_names is the text 'logits'"):
        loop.module.export_model_for_inferencing(
            tmp_path / "other.onnx", "logits"  # type: ignore[arg-type]
        )
    with pytest.raises(LookupError, match="nothing"):
        loop.module.export_model_for_inferencing(tmp_path / "other.onnx", ["nothing"])
    assert not (tmp_path / "other.onnx").exists()


def test_names_are_those_of_the_mode(art: pathlib.Path) -> None:
    state = api.CheckpointState.load_checkpoint(art / "checkpoint")
    module = api.Module(art / "training_model.onnx", state)
    assert module.input_names() == ["x", "labels"]
    assert module.output_names()[1:] == ["logits"]
    module.eval()
    assert module.input_names() == []
    assert module.output_names() == []
    evaluating = Loop(art).module.eval()
    assert evaluating.input_names() == ["x", "labels"]
    assert evaluating.output_names()[1:] == ["logits"]
