# SPDX-License-Identifier: Apache-2.0
"""Seeds, threads, processes, and what is printed."""

from __future__ import annotations

import gc
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable

import numpy
import pytest
from conftest import Loop, gradient

import temper
from temper import _temper
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


def in_threads(work: Callable[[int], object], count: int = 4) -> list[object]:
    """What the function returns for 0, 1, ..., each in a thread of its own."""
    results: list[object] = [None] * count

    def run(number: int) -> None:
        results[number] = work(number)

    threads = [threading.Thread(target=run, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_one_module_called_by_four_threads_takes_turns(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loss = float(loop.module(x, labels)[0])
    once = gradient(loop.state, "fc1.weight").copy()
    loop.module.lazy_reset_grad()
    results = in_threads(lambda _: [float(loop.module(x, labels)[0]) for _ in range(5)])
    assert results == [[loss] * 5] * 4
    numpy.testing.assert_allclose(gradient(loop.state, "fc1.weight"), 20 * once, rtol=1e-4)


@pytest.mark.parametrize("way", ["steps", "fit"])
def test_four_trainings_in_four_threads_are_those_of_one_after_the_other(
    way: str, art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    def train(seed: int) -> object:
        batch = {"x": x + numpy.float32(seed), "labels": labels}
        session = temper.Session(art, seed=seed, threads=2)
        if way == "fit":
            return temper.fit(session, batch, epochs=10, batch_size=5).losses.tolist()
        losses = []
        for _ in range(20):
            losses.append(session.train_step(batch).loss)
            session.optimizer_step()
            session.reset_gradients()
        return losses

    together = in_threads(train)
    assert together == [train(seed) for seed in range(4)]
    assert together[0] != together[1]


def test_a_checkpoint_is_read_and_written_while_a_session_trains_it(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray, tmp_path: pathlib.Path
) -> None:
    session = temper.Session(art)
    session.train_step(x, labels)
    checkpoint = session.checkpoint

    def work(number: int) -> object:
        for i in range(25):
            if number == 0:
                session.train_step(x, labels)
                session.optimizer_step()
            elif number == 1:
                checkpoint["fc1.bias"] = numpy.full(5, i, numpy.float32)
                checkpoint.properties[f"at{i}"] = i
            elif number == 2:
                checkpoint.save(tmp_path / "saved.ckpt")
                assert temper.Checkpoint.load(tmp_path / "saved.ckpt").keys() == checkpoint.keys()
            else:
                session.learning_rate = 0.001 * (i + 1)
                assert numpy.isfinite(checkpoint.state_dict()["fc2.weight"]).all()
                assert session.gradients["fc2.weight"].shape == (3, 5)
        return number

    assert in_threads(work) == [0, 1, 2, 3]
    assert checkpoint.step == 25
    assert {f"at{i}" for i in range(25)} <= set(checkpoint.properties)


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


def test_after_a_fork_what_the_parent_made_can_be_dropped(
    art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    loop, session = Loop(art), temper.Session(art, threads=2)
    loop.step(x, labels)
    session.train_step(x, labels)
    inference = temper.InferenceSession(art / "eval_model.onnx", threads=2)
    parameters = {name: parameter.data for name, parameter in session.checkpoint.items()}
    feeds = {"x": x, "labels": labels, **parameters}
    (expected, _) = inference.run(None, feeds)

    def drop() -> str:
        signal.alarm(60)  # ends a process that waits for threads that it does not have
        session.close()
        inference.close()
        del loop.module, loop.optimizer
        gc.collect()
        return "dropped"

    assert in_fork(drop) == b"dropped"
    assert inference.run(None, feeds)[0] == expected


def test_control_c_stops_after_the_step_and_leaves_a_usable_session() -> None:
    session, batch = wide_session()
    first = session.train_step(batch).loss
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        for _ in range(100_000):
            session.train_step(batch)
    assert session.train_step(batch).loss == first


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_sessions_leave_no_memory_behind(
    count: int, art: pathlib.Path, x: numpy.ndarray, labels: numpy.ndarray
) -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    artifacts = temper.load_artifacts(art)

    def use(times: int) -> None:
        for _ in range(times):
            session = temper.Session(artifacts, threads=1)
            session.train_step(x, labels)
            session.optimizer_step()
        gc.collect()

    use(200)
    before = resident()
    use(count)
    assert resident() - before < 8 << 20


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its lock"
)
def test_importing_does_not_switch_the_lock_on() -> None:
    code = "import sys, temper; print(sys._is_gil_enabled())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert done.stdout == "False\n", done.stderr


def test_the_extension_shows_other_libraries_its_initialization_only() -> None:
    program = shutil.which("nm")
    if program is None:
        pytest.skip("nm is not installed")
    command = [program, "--dynamic", "--defined-only", "--format=posix", _temper.__file__]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["PyInit__temper"]


def test_training_prints_nothing(
    loop: Loop, x: numpy.ndarray, labels: numpy.ndarray, capfd: pytest.CaptureFixture[str]
) -> None:
    loop.step(x, labels)
    loop.module.eval()(x, labels)
    assert capfd.readouterr() == ("", "")


ENDLESS = {
    "steps": "session = temper.Session(made)\n"
    "while True: session.train_step(x, labels)",
    "run": "temper.fit(made, (x, labels), epochs=10**9, batch_size=1)",
    "callbacks": "temper.fit(made, (x, labels), epochs=10**9, batch_size=1, on_step=print_not)",
    "inference": "session = temper.InferenceSession(temper.from_text("
    "'(float[N, 4] x) => (y) { y = Exp(x) }'))\n"
    "while True: session.run(None, {'x': x})",
}


@pytest.mark.parametrize("use", ENDLESS)
def test_a_program_may_end_while_a_thread_computes(use: str, art: pathlib.Path) -> None:
    body = "\n".join("    " + line for line in ENDLESS[use].splitlines())
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
