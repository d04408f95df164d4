# SPDX-License-Identifier: Apache-2.0
"""CheckpointState, Parameters, Parameter and Properties of onnxruntime.training.api."""

from __future__ import annotations

import copy
import gc
import os
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from conftest import Loop, gradient

import temper
from temper.onnxruntime.training.api import CheckpointState


@pytest.fixture
def state(art: pathlib.Path) -> CheckpointState:
    return CheckpointState.load_checkpoint(art / "checkpoint")


@pytest.fixture
def nominal(art: pathlib.Path) -> CheckpointState:
    return CheckpointState.load_checkpoint(art / "nominal_checkpoint")


NAMES = ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]


def test_a_checkpoint_may_be_given_as_text_path_or_bytes(art: pathlib.Path) -> None:
    path = art / "checkpoint"
    for uri in (path, str(path), str(path).encode()):
        assert len(CheckpointState.load_checkpoint(uri).parameters) == 4


def test_the_class_called_with_a_path_names_todays_spelling(art: pathlib.Path) -> None:
    with pytest.raises(temper.ArgumentTypeError) as caught:
        CheckpointState(str(art / "checkpoint"))  # type: ignore[arg-type]
    assert caught.value.hint == "Write CheckpointState.load_checkpoint(path)."


def test_saving_works_on_the_class_and_on_an_instance(
    state: CheckpointState, tmp_path: pathlib.Path
) -> None:
    CheckpointState.save_checkpoint(state, tmp_path / "a")
    state.save_checkpoint(state, tmp_path / "b", include_optimizer_state=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    CheckpointState.save_checkpoint(state, os.fsencode(tmp_path / "c"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()


def test_an_unknown_parameter_is_a_key_error(state: CheckpointState) -> None:
    with pytest.raises(KeyError) as caught:
        state.parameters["fc9.weight"]
    assert str(caught.value) == "Parameter fc9.weight not found."
    with pytest.raises(KeyError, match="^Parameter fc9.weight not found."):
        state.parameters["fc9.weight"] = numpy.zeros(3, numpy.float32)


def test_assigning_an_array_copies_it_from_any_layout(state: CheckpointState) -> None:
    wide = numpy.arange(40, dtype=numpy.float32).reshape(4, 10)
    state.parameters["fc1.weight"] = wide.T[::2]
    numpy.testing.assert_array_equal(state.parameters["fc1.weight"].data, wide.T[::2])
    wide[:] = 0
    assert state.parameters["fc1.weight"].data[1, 1] == 12


@pytest.mark.parametrize(
    "array", [numpy.zeros([5, 4]), numpy.zeros([4, 5], numpy.float32), [0.0] * 5]
)
def test_another_dtype_shape_or_kind_is_a_runtime_error(
    array: Any, state: CheckpointState
) -> None:
    before = state.parameters["fc1.weight"].data.copy()
    with pytest.raises(RuntimeError, match="parameter 'fc1.weight'|Parameter 'fc1.weight' is"):
        state.parameters["fc1.weight"] = array
    with pytest.raises(RuntimeError, match="parameter 'fc1.weight'|Parameter 'fc1.weight' is"):
        state.parameters["fc1.weight"].data = array
    numpy.testing.assert_array_equal(state.parameters["fc1.weight"].data, before)


def test_membership_and_length(state: CheckpointState) -> None:
    assert "fc1.bias" in state.parameters
    assert "fc9.bias" not in state.parameters
    assert len(state.parameters) == 4


def test_iteration_yields_pairs_sorted_by_name(state: CheckpointState) -> None:
    pairs = list(state.parameters)
    assert [name for name, _ in pairs] == NAMES
    assert [parameter.name for _, parameter in pairs] == NAMES
    assert list(state.parameters.keys()) == NAMES
    assert [parameter.name for parameter in state.parameters.values()] == NAMES
    assert [(name, parameter.name) for name, parameter in state.parameters.items()] == [
        (name, name) for name in NAMES
    ]


def test_a_nominal_state_has_names_only(nominal: CheckpointState) -> None:
    assert [name for name, _ in nominal.parameters] == NAMES
    with pytest.raises(RuntimeError, match="nominal state. Please load the parameter states"):
        nominal.parameters["fc1.bias"].data
    with pytest.raises(RuntimeError, match="nominal state. Please load all the parameter states"):
        nominal.parameters["fc1.bias"] = numpy.zeros(5, numpy.float32)
    assert "fc1.bias" in nominal.parameters and "fc9.bias" not in nominal.parameters
    assert len(nominal.parameters) == 4


def test_what_needs_values_is_refused_in_a_nominal_state(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    loop = Loop(art, "nominal_checkpoint")
    calls: list[Callable[[], object]] = [
        lambda: loop.module(x, labels),
        lambda: loop.module.eval()(x, labels),
        lambda: loop.optimizer.step(),
        lambda: loop.module.get_contiguous_parameters(),
        lambda: loop.module.export_model_for_inferencing(tmp_path / "model.onnx", ["logits"]),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="nominal state"):
            call()
    assert not (tmp_path / "model.onnx").exists()
    assert loop.module.input_names() == ["x", "labels"]


def test_name_and_requires_grad_are_read_only(state: CheckpointState) -> None:
    parameter = state.parameters["fc1.bias"]
    assert (parameter.name, parameter.requires_grad) == ("fc1.bias", True)
    for attribute in ("name", "requires_grad"):
        with pytest.raises(AttributeError):
            setattr(parameter, attribute, "other")


def test_data_is_a_live_writable_view(loop: Loop, x: numpy.ndarray, labels: numpy.ndarray) -> None:
    data = loop.state.parameters["fc2.bias"].data
    before = data.copy()
    loop.step(x, labels)
    assert not numpy.array_equal(data, before)
    data[:] = 5
    numpy.testing.assert_array_equal(loop.state.parameters["fc2.bias"].data, [5, 5, 5])
    loop.module.eval()
    shifted = loop.module(x, labels)[1]
    data[:] = 0
    numpy.testing.assert_allclose(loop.module(x, labels)[1], shifted - 5, rtol=1e-5, atol=1e-5)


def test_data_stays_valid_after_state_and_module(art: pathlib.Path) -> None:
    loop = Loop(art)
    data = loop.state.parameters["fc1.weight"].data
    before = data.copy()
    del loop
    gc.collect()
    numpy.testing.assert_array_equal(data, before)


def test_data_from_before_a_module_is_the_same_memory(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop = Loop(art)
    other = CheckpointState.load_checkpoint(art / "checkpoint")
    data = other.parameters["fc1.weight"].data
    loop.state = other
    loop = _over(art, other)
    loop.step(x, labels)
    assert numpy.shares_memory(data, other.parameters["fc1.weight"].data)
    assert not numpy.array_equal(
        data, CheckpointState.load_checkpoint(art / "checkpoint").parameters["fc1.weight"].data
    )


def _over(art: pathlib.Path, state: CheckpointState) -> Loop:
    loop = Loop(art)
    loop.state = state
    loop.module = type(loop.module)(art / "training_model.onnx", state)
    loop.optimizer = type(loop.optimizer)(art / "optimizer_model.onnx", loop.module)
    return loop


def test_a_frozen_parameter_is_a_live_view_too(
    mlp_path: pathlib.Path, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    import temper

    temper.artifacts(mlp_path, tmp_path, freeze=["fc1.weight"], extra_outputs=["logits"])
    loop = Loop(tmp_path)
    frozen = loop.state.parameters["fc1.weight"]
    assert frozen.grad is None
    assert frozen.requires_grad is False
    loop.module.eval()
    before = loop.module(x, labels)[1]
    frozen.data[:] = 0
    after = loop.module(x, labels)[1]
    assert not numpy.allclose(before, after)
    numpy.testing.assert_allclose(after, numpy.tile(after[:1], (16, 1)), rtol=1e-6)
    loop.state.parameters["fc1.weight"] = numpy.ones([5, 4], numpy.float32)
    numpy.testing.assert_array_equal(frozen.data, numpy.ones([5, 4]))


def test_grad_is_none_before_a_module_and_zeros_after(
    art: pathlib.Path, state: CheckpointState
) -> None:
    assert state.parameters["fc1.weight"].grad is None
    loop = _over(art, state)
    numpy.testing.assert_array_equal(loop.state.parameters["fc1.weight"].grad, numpy.zeros([5, 4]))


def test_editing_grad_before_the_step_counts(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    weight = loop.state.parameters["fc1.weight"]
    before = weight.data.copy()
    loop.module(x, labels)
    grad = gradient(loop.state, "fc1.weight")
    kept = int(numpy.abs(grad).sum(axis=1).argmax())
    others = [row for row in range(5) if row != kept]
    grad[others] = 0
    loop.optimizer.step()
    numpy.testing.assert_array_equal(weight.data[others], before[others])
    assert not numpy.array_equal(weight.data[kept], before[kept])


def test_repr_of_a_parameter(state: CheckpointState) -> None:
    assert repr(state.parameters["fc1.bias"]) == "Parameter(name=fc1.bias, requires_grad=True)"


@pytest.mark.parametrize(
    "given, kept",
    [
        (7, 7),
        (True, 1),
        (0.1, 0.10000000149011612),
        (2**70, float(2**70)),
        (b"text", "text"),
        ("text", "text"),
        (numpy.int32(3), 3),
        (numpy.float64(0.5), 0.5),
        (numpy.float32(2.5), 2.5),
    ],
)
def test_properties_keep_int64_float32_and_text(
    given: object, kept: object, state: CheckpointState
) -> None:
    state.properties["value"] = given
    assert state.properties["value"] == kept
    assert type(state.properties["value"]) is type(kept)


@pytest.mark.parametrize("value", [None, [1], {}])
def test_properties_refuse_other_types(value: object, state: CheckpointState) -> None:
    with pytest.raises(TypeError, match=f"^A property can't hold {type(value).__name__}."):
        state.properties["value"] = value
    assert "value" not in state.properties


def test_a_property_may_change_its_type(state: CheckpointState) -> None:
    state.properties["epoch"] = 1
    state.properties["epoch"] = "one"
    assert state.properties["epoch"] == "one"


def test_an_unknown_property_is_a_key_error(state: CheckpointState) -> None:
    with pytest.raises(KeyError) as caught:
        state.properties["nothing"]
    assert str(caught.value) == "No property named nothing."


def test_properties_iterate_as_sorted_pairs(state: CheckpointState) -> None:
    state.properties["b"] = 2
    state.properties["a"] = 1
    assert list(state.properties) == list(state.properties.items()) == [("a", 1), ("b", 2)]
    assert (state.properties.keys(), state.properties.values()) == (["a", "b"], [1, 2])
    assert len(state.properties) == 2
    assert "a" in state.properties and "c" not in state.properties
    with pytest.raises((TypeError, AttributeError)):
        del state.properties["a"]  # type: ignore[attr-defined]


def test_properties_are_saved_without_a_module(
    state: CheckpointState, tmp_path: pathlib.Path
) -> None:
    for name, value in (("epoch", -(2**63)), ("loss", 0.1), ("note", "text")):
        state.properties[name] = value
    CheckpointState.save_checkpoint(state, tmp_path / "saved")
    loaded = CheckpointState.load_checkpoint(tmp_path / "saved").properties
    assert list(loaded) == [("epoch", -(2**63)), ("loss", 0.10000000149011612), ("note", "text")]


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))]
)
def test_a_state_can_be_copied_and_pickled(
    copied: Callable[[CheckpointState], CheckpointState],
    art: pathlib.Path,
    loop: Loop,
    x: numpy.ndarray,
    labels: numpy.ndarray,
) -> None:
    loop.step(x, labels)
    loop.state.properties["epoch"] = 3
    other = copied(loop.state)
    assert list(other.properties) == [("epoch", 3)]
    for name, parameter in loop.state.parameters:
        numpy.testing.assert_array_equal(other.parameters[name].data, parameter.data)
        assert not numpy.shares_memory(other.parameters[name].data, parameter.data)
    again = _over(art, other)  # goes on with the optimizer's state
    expected = [loop.step(x, labels) for _ in range(3)]
    assert [again.step(x, labels) for _ in range(3)] == expected
