# SPDX-License-Identifier: Apache-2.0
"""Models, data and artifacts that the tests share."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any

import numpy
import oracle
import pytest

import temper
from temper import _errors
from temper.onnxruntime.training import api

os.environ.setdefault("OMP_NUM_THREADS", "1")


#: A source file, a name or a signature of C++, which no message may have.
SOURCE_PLACE = re.compile(r"\.(cpp|cc|cxx|hpp|h)\b|\b(std|temper|nanobind)::|\bconst&|Tensor\*")


@pytest.fixture(autouse=True)
def errors_have_no_places_in_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at each error of the engine that a test causes."""
    translate = _errors.from_engine

    def checked(code: str, message: str, hint: str) -> temper.Error:
        assert not SOURCE_PLACE.search(f"{message} {hint}"), message
        return translate(code, message, hint)

    monkeypatch.setattr(_errors, "from_engine", checked)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes minutes; ctest's label slow runs it")
    config.addinivalue_line("markers", "oracle: compares with the real onnxruntime-training")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if oracle.is_installed():
        return
    for item in items:
        if item.get_closest_marker("oracle"):
            item.add_marker(pytest.mark.skip(reason=oracle.ABSENT))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tools/oracle.sh adds up."""
    if oracle.scripts_run:
        terminalreporter.write_line(f"ONNX Runtime ran {oracle.scripts_run} scripts")
    for report in terminalreporter.stats.get("skipped", []):
        if oracle.ABSENT in str(report.longrepr):
            terminalreporter.write_line(f"SKIP   : {report.nodeid}: {oracle.ABSENT}")


def mlp_text(seed: int = 7) -> str:
    """A model with a hidden layer, whose weights have a fixed seed."""
    random = numpy.random.default_rng(seed)

    def tensor(name: str, *shape: int) -> str:
        values = random.normal(0, 0.5, shape).astype(numpy.float32).reshape(-1)
        numbers = ", ".join(repr(float(value)) for value in values)
        return f'float[{", ".join(map(str, shape))}] "{name}" = {{{numbers}}}'

    weights = [
        tensor("fc1.weight", 5, 4),
        tensor("fc1.bias", 5),
        tensor("fc2.weight", 3, 5),
        tensor("fc2.bias", 3),
    ]
    return f"""
        <ir_version: 8, opset_import: ["" : 17]>
        mlp (float[batch, 4] x) => (float[batch, 3] logits) <{", ".join(weights)}> {{
            hidden = Gemm<transB = 1>(x, "fc1.weight", "fc1.bias")
            positive = Relu(hidden)
            logits = Gemm<transB = 1>(positive, "fc2.weight", "fc2.bias")
        }}
    """


@pytest.fixture(scope="session")
def mlp() -> temper.Model:
    return temper.from_text(mlp_text())


@pytest.fixture(scope="session")
def mlp_path(mlp: temper.Model, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("model") / "mlp.onnx"
    mlp.save(path)
    return path


@pytest.fixture(scope="session")
def x() -> numpy.ndarray:
    return numpy.random.default_rng(1).normal(size=(16, 4)).astype(numpy.float32)


@pytest.fixture(scope="session")
def labels() -> numpy.ndarray:
    return numpy.random.default_rng(2).integers(0, 3, 16)


@pytest.fixture(scope="session")
def art(mlp: temper.Model, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder of artifacts: cross entropy, AdamW, everything trains, logits after the loss."""
    folder = tmp_path_factory.mktemp("art")
    temper.artifacts(mlp, folder, extra_outputs=["logits"], nominal_checkpoint=True)
    return folder


class Loop:
    """The parts of a training loop with ONNX Runtime's names."""

    def __init__(self, folder: pathlib.Path, checkpoint: str = "checkpoint") -> None:
        self.state = api.CheckpointState.load_checkpoint(folder / checkpoint)
        self.module = api.Module(
            folder / "training_model.onnx", self.state, folder / "eval_model.onnx"
        )
        self.optimizer = api.Optimizer(folder / "optimizer_model.onnx", self.module)

    def step(self, x: numpy.ndarray, labels: numpy.ndarray) -> numpy.ndarray:
        loss: numpy.ndarray = self.module(x, labels)[0]
        self.optimizer.step()
        self.module.lazy_reset_grad()
        return loss


def gradient(state: api.CheckpointState, name: str) -> numpy.ndarray:
    """The gradient of a parameter that has one, a view."""
    grad = state.parameters[name].grad
    assert grad is not None
    return grad


@pytest.fixture
def loop(art: pathlib.Path) -> Loop:
    return Loop(art)


def proto(text: str) -> Any:
    """An onnx.ModelProto."""
    import onnx

    return onnx.load_model_from_string(temper.from_text(text).to_bytes())


@pytest.fixture
def two() -> Any:
    """Two values as outputs."""
    return proto(
        "(float[3, 4] a, float[3, 4] b) => (float[3, 4] x, float[3, 4] y) "
        "{ x = Identity(a) y = Identity(b) }"
    )


@pytest.fixture
def mlp_proto() -> Any:
    return proto(mlp_text())
