# SPDX-License-Identifier: Apache-2.0
"""Ctrl+C within a step: a loop of the model ends early, and the session can continue."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy
import pytest

import temper

#: y = w * (x + trips[0]), by a loop.
LOOP = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N] x, int64[N] trips) => (float[N] y) <float[1] w = {2}> {
        most = ReduceMax<keepdims = 0>(trips)
        on = Constant<value = bool {1}>()
        sum = Loop(most, on, x) <body = body (int64 i, bool go, float[N] s) => (bool more, float[N] t) {
            more = Identity(go)
            one = Constant<value_float = 1.0>()
            t = Add(s, one)
        }>
        y = Mul(sum, w)
    }
"""
#: The most that loops may have, which take many seconds.
ENDLESS = numpy.full(2, 10**7)
FEW = numpy.full(2, 3)
MANY = numpy.full(2, 200_000)
X = numpy.array([1, 2], numpy.float32)
ZERO = numpy.zeros(2, numpy.float32)


@contextmanager
def interrupted() -> Iterator[None]:
    """Sends SIGINT to this process soon, and again until somebody reacts."""
    done = threading.Event()

    def interrupt() -> None:
        while not done.wait(0.3):
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        try:
            yield
        finally:
            done.set()
    thread.join()


@pytest.fixture
def session() -> temper.Session:
    return temper.Session(temper.artifacts(temper.from_text(LOOP), loss="mse"), threads=1)


def gradient_of(session: temper.Session) -> float:
    return float(session.gradients["w"][0])


def test_a_training_step_ends_within_a_loop(session: temper.Session) -> None:
    def step(trips: numpy.ndarray) -> float:
        return session.train_step(x=X, trips=trips, target=ZERO).loss

    first = step(FEW)
    gradient = gradient_of(session)
    assert first == pytest.approx(numpy.mean((2 * (X + 3)) ** 2))
    with interrupted():
        step(ENDLESS)
    assert step(FEW) == first
    assert gradient_of(session) == gradient  # not added to that of half a step
    session.optimizer_step()
    assert session.checkpoint.step == 1


@pytest.mark.parametrize("kind", ["eval", "values", "run"])
def test_an_evaluation_ends_within_a_loop(kind: str, session: temper.Session) -> None:
    inference = temper.InferenceSession(temper.from_text(LOOP))
    compute: dict[str, Callable[[numpy.ndarray], object]] = {
        "eval": lambda trips: session.eval_step(x=X, trips=trips, target=ZERO).loss,
        "values": lambda trips: session.eval_step(x=X, trips=trips, target=ZERO, values="y"),
        "run": lambda trips: inference.run(["y"], {"x": X, "trips": trips})[0].tolist(),
    }
    before = compute[kind](FEW)
    begin = time.perf_counter()
    compute[kind](MANY)
    seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    with interrupted():
        compute[kind](ENDLESS)  # fifty times as many
    assert time.perf_counter() - begin < 25 * seconds
    assert str(compute[kind](FEW)) == str(before)


def test_a_run_ends_within_a_loop(session: temper.Session) -> None:
    few, endless = [(X, trips, ZERO) for trips in (FEW, ENDLESS)]
    before = session.checkpoint.state_dict()
    with interrupted():
        temper.fit(session, [endless], epochs=1)
    assert session.checkpoint.step == 0
    assert session.checkpoint.state_dict() == before
    run = temper.fit(session, [few], epochs=1, lr=0.5)
    assert (run.outcome, run.step) == ("finished", 1)


def test_a_handler_that_does_not_raise_ends_nothing(session: temper.Session) -> None:
    seen: list[int] = []
    loss = 0.0
    old = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        while not seen:
            loss = session.train_step(x=X, trips=MANY, target=ZERO).loss
            session.reset_gradients()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, old)
    assert loss == session.train_step(x=X, trips=MANY, target=ZERO).loss
