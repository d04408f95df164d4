# SPDX-License-Identifier: Apache-2.0
"""Optimizer, LinearLRScheduler and round trips of onnxruntime.training.api."""

from __future__ import annotations

import pathlib

import numpy
import pytest
from conftest import Loop, gradient

from temper.onnxruntime.training import api

FIRST_RATE = float(numpy.float32(0.001))


def test_learning_rate_is_a_thousandth_at_first_and_after_loading(
    loop: Loop, art: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    assert loop.optimizer.get_learning_rate() == FIRST_RATE
    loop.optimizer.set_learning_rate(0.5)
    assert loop.optimizer.get_learning_rate() == 0.5
    assert len(loop.state.properties) == 0
    api.CheckpointState.save_checkpoint(loop.state, tmp_path / "saved", True)
    state = api.CheckpointState.load_checkpoint(tmp_path / "saved")
    module = api.Module(art / "training_model.onnx", state)
    optimizer = api.Optimizer(art / "optimizer_model.onnx", module)
    assert optimizer.get_learning_rate() == FIRST_RATE


@pytest.mark.parametrize("rate", [1, -0.5, 0.0, 0.1, float("nan")])
def test_learning_rate_has_no_range(rate: float, loop: Loop) -> None:
    loop.optimizer.set_learning_rate(rate)
    kept = loop.optimizer.get_learning_rate()
    assert type(kept) is float
    numpy.testing.assert_equal(kept, float(numpy.float32(rate)))


def test_the_initial_rate_of_a_schedule_is_in_the_checkpoint(
    loop: Loop, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    initial = numpy.float32(0.0123456)
    loop.step(x, labels)
    for scheduled in (False, True):
        if scheduled:
            # half of it is the rate now
            api.LinearLRScheduler(loop.optimizer, 2, 6, float(initial))
        api.CheckpointState.save_checkpoint(loop.state, tmp_path / "saved", True)
        assert (initial.tobytes() in (tmp_path / "saved").read_bytes()) == scheduled


def test_a_step_before_any_training_step_uses_zero_gradients(loop: Loop) -> None:
    before = loop.module.get_contiguous_parameters().numpy()
    loop.optimizer.step()
    after = loop.module.get_contiguous_parameters().numpy()
    numpy.testing.assert_array_equal(after, before)


def test_adamw_does_what_its_formula_says(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    weight = loop.state.parameters["fc2.weight"]
    before = weight.data.astype(float)
    loop.module(x, labels)
    grad = gradient(loop.state, "fc2.weight").astype(float)
    loop.optimizer.step()
    # AdamWOptimizer with adam_mode 1: m = 0.1 g, v = 0.001 g^2, the bias corrected in the rate
    rate = FIRST_RATE * numpy.sqrt(1 - 0.999) / (1 - 0.9)
    expected = before - rate * 0.1 * grad / (numpy.sqrt(0.001) * numpy.abs(grad) + 1e-6)
    numpy.testing.assert_allclose(weight.data, expected, atol=1e-6)


def test_the_loss_falls(loop: Loop, x: numpy.ndarray, labels: numpy.ndarray) -> None:
    losses = [float(loop.step(x, labels)) for _ in range(30)]
    assert losses[-1] < losses[0]


def test_linear_schedule_warms_up_then_falls(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    scheduler = api.LinearLRScheduler(loop.optimizer, 2, 6, 0.1)
    rates = [loop.optimizer.get_learning_rate()]
    for _ in range(7):
        loop.step(x, labels)
        scheduler.step()
        rates.append(loop.optimizer.get_learning_rate())
    numpy.testing.assert_allclose(rates, [0, 0.05, 0.1, 0.075, 0.05, 0.025, 0, 0], atol=1e-8)


def test_a_scheduler_made_after_a_load_goes_on_from_the_steps_that_are_done(
    loop: Loop, art: pathlib.Path, tmp_path: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    scheduler = api.LinearLRScheduler(loop.optimizer, 2, 6, 0.1)
    for _ in range(3):
        loop.step(x, labels)
        scheduler.step()
    assert loop.optimizer.get_learning_rate() == pytest.approx(0.075)
    again = restarted(loop, art, tmp_path, True)
    assert again.optimizer.get_learning_rate() == FIRST_RATE
    scheduler = api.LinearLRScheduler(again.optimizer, 2, 6, 0.1)
    rates = [again.optimizer.get_learning_rate()]
    for _ in range(3):
        again.step(x, labels)
        scheduler.step()
        rates.append(again.optimizer.get_learning_rate())
    numpy.testing.assert_allclose(rates, [0.075, 0.05, 0.025, 0], atol=1e-8)


def restarted(loop: Loop, art: pathlib.Path, folder: pathlib.Path, with_optimizer: bool) -> Loop:
    path = folder / f"saved-{with_optimizer}"
    api.CheckpointState.save_checkpoint(loop.state, path, with_optimizer)
    again = Loop(art)
    again.state = api.CheckpointState.load_checkpoint(path)
    again.module = api.Module(art / "training_model.onnx", again.state)
    again.optimizer = api.Optimizer(art / "optimizer_model.onnx", again.module)
    return again


def test_with_optimizer_state_further_losses_are_the_same_bits(
    loop: Loop,
    art: pathlib.Path,
    tmp_path: pathlib.Path,
    x: numpy.ndarray,
    labels: numpy.ndarray,
) -> None:
    for _ in range(3):
        loop.step(x, labels)
    again = restarted(loop, art, tmp_path, True)
    without = restarted(loop, art, tmp_path, False)
    expected = [loop.step(x, labels) for _ in range(4)]
    assert [again.step(x, labels) for _ in range(4)] == expected
    others = [without.step(x, labels) for _ in range(4)]
    assert others[0] == expected[0]
    assert others[1:] != expected[1:]


def test_a_nominal_state_with_a_full_buffer_trains_the_same_bits(
    loop: Loop, art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    nominal = Loop(art, "nominal_checkpoint")
    with pytest.raises(RuntimeError, match="nominal state"):
        nominal.module(x, labels)
    buffer = loop.module.get_contiguous_parameters()
    nominal.module.copy_buffer_to_parameters(buffer, trainable_only=False)
    expected = [loop.step(x, labels) for _ in range(4)]
    assert [nominal.step(x, labels) for _ in range(4)] == expected
