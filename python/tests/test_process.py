# SPDX-License-Identifier: Apache-2.0
"""Seeds, threads, processes, and what is printed."""

from __future__ import annotations

import gc
import os
import pathlib
import signal
import threading
import time

import numpy
import pytest
from conftest import Loop

import temper
from temper.onnxruntime import set_seed
from temper.onnxruntime.training import api

DROPOUT = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 64] x) => (float[N, 64] y) <
        float[64] w = {%s}, float ratio = {0.5}, bool mode = {1}> {
        scaled = Mul(x, w)
        y = Dropout(scaled, ratio, mode)
    }
""" % ", ".join(["1.0"] * 64)


@pytest.fixture(scope="module")
def dropout(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("dropout")
    temper.artifacts(temper.from_text(DROPOUT), folder, loss="mse", train=["w"])
    return folder


def dropout_loss(folder: pathlib.Path) -> float:
    state = api.CheckpointState.load_checkpoint(folder / "checkpoint")
    module = api.Module(folder / "training_model.onnx", state)
    ones = numpy.ones([1, 64], numpy.float32)
    return float(module(ones * numpy.arange(64, dtype=numpy.float32), ones))


def test_the_same_seed_before_a_module_gives_the_same_losses(dropout: pathlib.Path) -> None:
    set_seed(3)
    first = [dropout_loss(dropout), dropout_loss(dropout)]
    set_seed(3)
    assert [dropout_loss(dropout), dropout_loss(dropout)] == first
    assert first[0] != first[1]
    set_seed(4)
    assert dropout_loss(dropout) != first[0]


def wide_session(
    threads: int = 1, size: int = 256
) -> tuple[temper.Session, dict[str, numpy.ndarray]]:
    """A session that multiplies matrices of this size, and a batch."""
    model = temper.from_text(
        f"""(float[N, {size}] x) => (float[N, {size}] y, float[N, {size}] z) <
            float[1] one = {{1.0}}> {{ y = Mul(x, one)
            z = MatMul(y, y) }}"""
    )
    session = temper.Session(
        temper.artifacts(model, loss="mse", loss_inputs=["z"], train=["one"]), threads=threads
    )
    x = numpy.ones([size, size], numpy.float32) / size
    return session, {"x": x, "target": x}


def test_other_threads_run_while_a_step_computes() -> None:
    session, batch = wide_session(size=1024)
    session.train_step(batch)
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    steps = 5
    for _ in range(steps):
        session.train_step(batch)
    done.set()
    counter.join()
    # a step takes tens of milliseconds; a thread that has to wait for its end gets one turn a step
    assert turns > 10 * steps


def test_one_session_used_by_four_threads_takes_turns(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    session.train_step(x, labels)
    session.reset_gradients()
    session.train_step(x, labels)
    one = session.gradients["fc1.weight"].copy()
    session.reset_gradients()
    threads = [
        threading.Thread(target=lambda: [session.train_step(x, labels) for _ in range(5)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numpy.testing.assert_allclose(session.gradients["fc1.weight"], 20 * one, rtol=1e-4)


def test_four_sessions_in_four_threads_do_what_one_does(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    def losses() -> list[numpy.ndarray]:
        loop = Loop(art)
        return [loop.step(x, labels) for _ in range(10)]

    results: list[list[numpy.ndarray]] = []
    threads = [threading.Thread(target=lambda: results.append(losses())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [losses()] * 4


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    losses = []
    for threads in (1, 2):
        session, batch = wide_session(threads)
        losses.append(session.train_step(batch).loss)
    assert losses[0] == losses[1]


def in_fork(work: object) -> bytes:
    """What the function returns in a forked process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, str(work()).encode())  # type: ignore[operator]
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    return os.read(reading, 4096)


def test_after_a_fork_the_session_says_so_and_a_new_one_works(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    session = temper.Session(art)
    expected = session.train_step(x, labels).loss

    def old() -> str:
        try:
            return str(session.train_step(x, labels))
        except temper.StateError as error:
            return error.message

    assert in_fork(old) == (
        b"The session was made before this process was forked; its threads are not here."
    )
    inference = temper.InferenceSession(art / "eval_model.onnx")
    parameters = {name: p.data for name, p in session.checkpoint.items()}
    inference.run(None, {"x": x, "labels": labels, **parameters})

    def old_inference() -> str:
        try:
            return str(inference.run(None, {"x": x, "labels": labels, **parameters}))
        except temper.StateError as error:
            return error.message

    assert in_fork(old_inference).startswith(b"The inference session was made before")
    new = in_fork(lambda: temper.Session(art).train_step(x, labels).loss)
    assert float(new) == expected


def test_control_c_stops_after_the_step_and_leaves_a_usable_session() -> None:
    session, batch = wide_session()
    first = session.train_step(batch).loss
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        for _ in range(100_000):
            session.train_step(batch)
    assert session.train_step(batch).loss == first


def test_a_thousand_sessions_leave_no_memory_behind(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    artifacts = temper.load_artifacts(art)

    def use(count: int) -> None:
        for _ in range(count):
            session = temper.Session(artifacts, threads=1)
            session.train_step(x, labels)
            session.optimizer_step()
        gc.collect()

    use(200)
    before = resident()
    use(1000)
    assert resident() - before < 8 << 20


def test_training_prints_nothing(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray, capfd: pytest.CaptureFixture[str]
) -> None:
    loop.step(x, labels)
    loop.module.eval()(x, labels)
    assert capfd.readouterr() == ("", "")
