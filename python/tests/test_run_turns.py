# SPDX-License-Identifier: Apache-2.0
"""What may use a session while temper.fit() trains it: the run's data, its callbacks, other threads
and forked processes. Each test would wait for ever, or until the end of the run, without turns."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import temper

COUNT = 12
X = numpy.random.default_rng(8).normal(size=(COUNT, 4)).astype(numpy.float32)
LABELS = numpy.arange(COUNT) % 3
NEVER = 10**9  # steps; the test ends the run


class Over(Exception):
    """Ends a run from a callback."""


@pytest.fixture
def session(mlp: temper.Model) -> temper.Session:
    return temper.Session(temper.artifacts(mlp))


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    """What waits for itself ends the tests, and can't be ended otherwise."""
    signal.alarm(300)
    yield
    signal.alarm(0)


def bias(session: temper.Session) -> numpy.ndarray:
    return session.checkpoint["fc1.bias"].data.copy()


def test_data_reads_the_session_that_it_trains(session: temper.Session) -> None:
    seen: list[float] = []

    def hard_samples() -> Iterator[Any]:
        """Those that the model gets most wrong."""
        for _ in range(5):
            losses = [session.eval_step(X[i : i + 1], LABELS[i : i + 1]).loss for i in range(COUNT)]
            hardest = numpy.argsort(losses)[-4:]
            seen.append(max(losses))
            yield X[hardest], LABELS[hardest]
        assert session.checkpoint.step > 0  # while the loader is being ended, too

    run = temper.fit(session, hard_samples, epochs=2, lr=0.01)
    assert len(run.losses) == 10
    assert len(set(seen)) > 2


def test_data_that_is_read_when_the_run_ends_may_read_the_session(session: temper.Session) -> None:
    values: list[float] = []

    def endless() -> Iterator[Any]:
        while True:
            values.append(session.learning_rate)
            yield X, LABELS

    assert len(temper.fit(session, endless, steps=5).losses) == 5
    assert len(values) >= 5


@pytest.mark.parametrize(
    "train",
    [
        lambda session: session.train_step(X, LABELS),
        lambda session: session.optimizer_step(),
        lambda session: session.reset_gradients(),
        lambda session: temper.fit(session, (X, LABELS), epochs=1),
    ],
    ids=["train_step", "optimizer_step", "reset_gradients", "fit"],
)
def test_data_that_trains_the_session_of_its_run_is_refused(
    train: Callable[[temper.Session], object], session: temper.Session
) -> None:
    def data() -> Iterator[Any]:
        yield X, LABELS
        train(session)
        yield X, LABELS

    with pytest.raises(temper.StateError) as caught:
        temper.fit(session, data, epochs=1)
    assert caught.value.message == (
        "The data of a run tried to train the session that the run trains."
    )
    assert caught.value.hint == "Read from the session only, or train another session in the data."
    train(session)  # afterwards it may


def test_data_may_train_another_session(session: temper.Session, mlp: temper.Model) -> None:
    other = temper.Session(temper.artifacts(mlp))

    def data() -> Iterator[Any]:
        for _ in range(3):
            other.train_step(X, LABELS)
            yield X, LABELS

    assert len(temper.fit(session, data, epochs=1).losses) == 3


def test_another_thread_reads_and_saves_between_the_steps_of_a_run(
    session: temper.Session, tmp_path: pathlib.Path
) -> None:
    biases = [bias(session)]
    has_begun, is_over = threading.Event(), threading.Event()
    steps: list[int] = []

    def watch() -> None:
        has_begun.wait()
        try:
            for _ in range(3):
                session.save(tmp_path / "now.ckpt")
                steps.append(temper.Checkpoint.load(tmp_path / "now.ckpt").step)
                session.eval_step(X, LABELS)
            biases.append(bias(session))
        finally:
            is_over.set()

    def on_step(step: temper.Step) -> None:
        has_begun.set()
        if is_over.is_set():
            raise Over

    thread = threading.Thread(target=watch)
    thread.start()
    with pytest.raises(Over):
        temper.fit(session, (X, LABELS), steps=NEVER, lr=0.01, on_step=on_step)
    thread.join()
    assert 0 < steps[0] <= steps[-1] <= session.checkpoint.step
    assert not numpy.array_equal(biases[0], biases[1])


def test_another_thread_that_trains_waits_for_the_end_of_the_run(session: temper.Session) -> None:
    waits = threading.Event()
    trained: list[int] = []

    def train() -> None:
        waits.set()
        session.train_step(X, LABELS)
        session.optimizer_step()
        trained.append(session.checkpoint.step)

    thread = threading.Thread(target=train)

    def on_step(step: temper.Step) -> None:
        if step.step == 1:
            thread.start()
            waits.wait()

    temper.fit(session, (X, LABELS), steps=20, on_step=on_step)
    thread.join()
    assert trained == [21]


def test_threads_of_a_callback_read_the_session(session: temper.Session) -> None:
    seen: list[numpy.ndarray] = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        temper.fit(
            session,
            (X, LABELS),
            steps=3,
            on_step=lambda step: seen.extend(pool.map(bias, [session] * 2)),
        )
    assert len(seen) == 6


def test_a_process_forked_by_a_callback_reads_the_checkpoint(session: temper.Session) -> None:
    read: list[bytes] = []

    def on_step(step: temper.Step) -> None:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                os.write(writing, bias(session).tobytes())
            finally:
                os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        read.append(os.read(reading, 4096))
        os.close(reading)
        assert read[-1] == bias(session).tobytes()

    temper.fit(session, (X, LABELS), steps=3, on_step=on_step)
    assert len(set(read)) == 3


def test_a_process_forked_during_a_step_reads_the_checkpoint_or_says_why_not(
    session: temper.Session,
) -> None:
    has_begun, is_over = threading.Event(), threading.Event()

    def on_epoch(epoch: temper.Epoch) -> None:
        has_begun.set()
        if is_over.is_set():
            raise Over

    def train() -> None:
        with pytest.raises(Over):
            temper.fit(session, (X, LABELS), epochs=NEVER, on_epoch=on_epoch)

    def read() -> str:
        try:
            return f"{bias(session).size}"
        except temper.StateError as error:
            return error.message

    thread = threading.Thread(target=train)
    thread.start()
    has_begun.wait()
    answers = set()
    for _ in range(10):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                os.write(writing, read().encode())
            finally:
                os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        answers.add(os.read(reading, 4096).decode())
        os.close(reading)
    is_over.set()
    thread.join()
    busy = "A thread used the checkpoint when this process was forked, so that it may be half changed."
    assert answers <= {str(bias(session).size), busy}
