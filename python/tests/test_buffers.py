# SPDX-License-Identifier: Apache-2.0
"""Arrays that come by the buffer protocol, and those that go out."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import numpy
import pytest

import temper

ELEMENTS = {
    "f4": "float", "f8": "double", "f2": "float16", "?": "bool",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
}  # fmt: skip


def identity(element: str, shape: str) -> temper.Model:
    return temper.from_text(
        '<ir_version: 8, opset_import: ["" : 17]> '
        f"g ({element}[{shape}] x) => ({element}[{shape}] y) {{ y = Identity(x) }}"
    )


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4)], ids=str)
@pytest.mark.parametrize("code", ELEMENTS)
def test_elements_and_shapes_arrive(code: str, shape: tuple[int, ...], order: str) -> None:
    dims = ", ".join(f"D{axis}" for axis in range(len(shape)))
    given = numpy.arange(7, 7 + numpy.prod(shape, dtype=int)).reshape(shape).astype(order + code)
    found = temper.run(identity(ELEMENTS[code], dims), {"x": given})["y"]
    assert found.dtype == numpy.dtype(code)
    numpy.testing.assert_array_equal(found, given)


VALUES = numpy.array([1, 2, 3], numpy.float32)


@pytest.mark.parametrize(
    "given",
    [
        array.array("f", [1, 2, 3]),
        memoryview(array.array("f", [1, 2, 3])),
        numpy.arange(1, 6, dtype=numpy.float32).data[:3],
        numpy.repeat(VALUES, 2).data[::2],
        (ctypes.c_float * 3)(1, 2, 3),
        numpy.frombuffer(b"\0" + VALUES.tobytes(), numpy.float32, offset=1),
    ],
    ids=["array", "view", "slice", "strides", "ctypes", "odd-address"],
)
def test_other_objects_with_the_protocol_go_in(given: Any) -> None:
    found = temper.run(identity("float", "N"), {"x": given})["y"]
    numpy.testing.assert_array_equal(found, VALUES)


@pytest.mark.parametrize(
    "given",
    [numpy.array([1 + 1j]), numpy.zeros(2, [("a", "f4")]), numpy.array([1], "M8[s]")],
    ids=["complex", "records", "times"],
)
def test_elements_that_models_do_not_have_are_refused(given: numpy.ndarray) -> None:
    with pytest.raises(temper.ArgumentTypeError, match="input 'x' has an element type that"):
        temper.run(identity("float", "N"), {"x": given})


def test_the_losses_of_steps_are_arrays_of_their_own(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(temper.artifacts(mlp))
    name = session.output_names[0]
    losses = []
    for _ in range(3):
        losses.append(session.train_step(x, labels)[name])
        session.optimizer_step()
        session.reset_gradients()
    again = session.eval_step(x, labels)[name]
    assert {(loss.shape, loss.dtype, loss.base is None) for loss in losses} == {
        (again.shape, again.dtype, True)
    }
    assert losses[0] > losses[1] > losses[2] > again
    first, last = losses[0].item(), session.train_step(x, labels)[name]
    last[...] = 7
    session.reset_gradients()
    assert session.train_step(x, labels)[name] < losses[2] and losses[0] == first


def test_results_of_one_element_and_of_several_are_kept_apart() -> None:
    model = temper.from_text(
        '<ir_version: 8, opset_import: ["" : 17]> '
        "g (float[N] x) => (float[N] y) <float[1] w = {3}> { y = Mul(x, w) }"
    )
    session = temper.Session(temper.artifacts(model, loss="mse", extra_outputs=["y"]))
    batches = [numpy.arange(step + 1, step + 2 + step % 2, dtype="f4") for step in range(40)]
    found = [session.train_step(batch, numpy.zeros_like(batch)) for batch in batches]
    for batch, outputs in zip(batches, found):
        assert list(outputs) == session.output_names
        loss, y = outputs.values()
        assert loss.shape == () and y.shape == batch.shape
        numpy.testing.assert_array_equal(y, 3 * batch)
        numpy.testing.assert_allclose(loss, numpy.mean((3 * batch) ** 2), rtol=1e-5)


def test_every_call_of_a_closed_session_says_so(
    mlp: temper.Model, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(temper.artifacts(mlp))
    session.close()
    session.close()
    assert repr(session) == "<Session, closed>"
    for call in (
        lambda: session.train_step(x, labels),
        lambda: session.eval_step(x, labels),
        session.optimizer_step,
        session.reset_gradients,
        lambda: session.learning_rate,
    ):
        with pytest.raises(temper.StateError, match="^The session is closed.\nMake another one."):
            call()
