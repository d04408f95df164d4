# SPDX-License-Identifier: Apache-2.0
"""The code in the documentation's pages and in the notebook runs, and prints what they show."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy
import pytest
from conftest import mlp_text
from oracle import needs_oracle, run_real

import temper
from temper.onnxruntime.training import api, artifacts

DOCS = pathlib.Path(os.environ.get("TEMPER_SOURCE_DIR", ".")) / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

STEM = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[N, 2] x) => (float[N, 2] y) <
        float[2, 2] "stem.weight" = {1, 2, 3, 4}, float[2, 2] "head.weight" = {1, 0, 0, 1}> {
        h = MatMul(x, "stem.weight")
        y = MatMul(h, "head.weight")
    }
"""


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Language and text of each block of code."""
    path = DOCS / page
    if not path.exists():
        pytest.skip("the documentation is not here")
    return BLOCK.findall(path.read_text())


def rows_of(page: str, head: str) -> list[list[str]]:
    """The cells of the rows of a table."""
    path = DOCS / page
    if not path.exists():
        pytest.skip("the documentation is not here")
    _, found, rest = path.read_text().partition(f"| {head} |\n|---|---|\n")
    assert found
    table = rest.partition("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]


def calls_in(cell: str) -> list[str]:
    """The code in it that is more than a name."""
    return [code for code in re.findall(r"`([^`]+)`", cell) if re.search(r"[(\[]| = ", code)]


def printed_by(code: str, names: dict[str, Any]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "page", "exec"), names)
    return output.getvalue()


def notebook() -> dict[str, Any]:
    path = DOCS / "tutorial.ipynb"
    if not path.exists():
        pytest.skip("the documentation is not here")
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def test_the_notebook_is_made_of_the_tutorial() -> None:
    tool = DOCS.parent / "tools" / "make_tutorial_notebook.py"
    stored = notebook()
    made = subprocess.run([sys.executable, str(tool)], capture_output=True, text=True, check=True)
    assert stored == json.loads(made.stdout), "run tools/make_tutorial_notebook.py"
    assert (stored["nbformat"], stored["nbformat_minor"]) == (4, 5)
    cells = stored["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    source = "".join("".join(cell["source"]) for cell in cells)
    page = (DOCS / "tutorial.md").read_text()
    words = re.findall(r"\w+", re.sub(r"^```text\n.*?^```$|^```\w*$", "", page, flags=re.M | re.S))
    assert re.findall(r"\w+", source) == words


def test_the_notebook_prints_what_it_shows(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = 0
    for cell in notebook()["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = "".join(cell["source"])
        expected = "".join(text for output in cell["outputs"] for text in output["text"])
        assert printed_by(code, names) == expected
        last = ast.parse(code).body[-1]
        # a notebook would show the value of a last expression, too: there are only calls for effect
        if isinstance(last, ast.Expr):
            assert isinstance(last.value, ast.Call)
            assert ast.unparse(last.value.func) in ("print", "session.close")
        shown += bool(expected)
    assert shown > 7


def test_the_example_of_steps_on_the_page_about_python_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    temper.from_text(STEM).save(tmp_path / "model.onnx")
    x = numpy.ones([3, 2], numpy.float32)
    blocks = [text for language, text in blocks_of("python.md") if language == "python"]
    code = next(text for text in blocks if "session.optimizer_step()" in text)
    names = {"batches": [(x, numpy.array([0, 1, 1]))] * 2}
    assert len(printed_by(code, names).splitlines()) == 2
    assert temper.run("trained.onnx", x)["y"].shape == (3, 2)
    assert temper.Checkpoint.load("trained.ckpt").properties["epoch"] == 5


def test_the_examples_of_the_page_for_pytorch_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    temper.from_text(STEM).save(tmp_path / "model.onnx")
    x, y = numpy.ones([3, 2], numpy.float32), numpy.array([0, 1, 1])
    names: dict[str, Any] = {"batches": [(x, y)] * 3, "x": x, "y": y}
    (code,) = [text for kind, text in blocks_of("coming_from_pytorch.md") if kind == "python"]
    assert printed_by(code, names) == "[]\n"
    assert temper.open("trained.onnx").outputs[0].name == "y"
    names |= {"lr": 0.1, "step": 5, "total_steps": 50, "feeds": {"x": x, "labels": y}}
    rows = rows_of("coming_from_pytorch.md", "in PyTorch | in Temper")
    assert len(rows) == 14
    for _, ours in rows:
        calls = calls_in(ours)
        assert calls, ours
        for call in calls:
            exec(call, names)
    assert names["loss"] > 0 and names["session"].learning_rate == pytest.approx(0.1)


OURS = """
import temper
temper.as_onnxruntime_training()
"""


@pytest.fixture
def program(tmp_path: pathlib.Path) -> str:
    """The one for onnxruntime-training, in a folder with its model and batches."""
    temper.from_text(mlp_text()).save(tmp_path / "model.onnx")
    (text,) = [
        text for kind, text in blocks_of("coming_from_onnxruntime.md") if kind == "python"
    ]
    assert text.startswith(OURS.lstrip())
    return text


BATCHES = """
import numpy
random = numpy.random.default_rng(0)
x = random.normal(size=(16, 4)).astype(numpy.float32)
labels = (x[:, 0] > 0).astype(numpy.int64)
batches = [(x, labels)] * 5
"""


def losses_of_program(text: str, folder: pathlib.Path) -> list[float]:
    command = [sys.executable, "-c", BATCHES + text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return [float(line) for line in done.stdout.splitlines()]


def test_the_program_for_onnxruntime_runs(program: str, tmp_path: pathlib.Path) -> None:
    losses = losses_of_program(program, tmp_path)
    assert len(losses) == 5 and losses[-1] < losses[0]
    ours = program.replace(OURS.lstrip(), "")
    ours = ours.replace("from onnxruntime.training", "from temper.onnxruntime.training")
    assert losses_of_program(ours, tmp_path) == losses
    assert temper.open(tmp_path / "trained.onnx").outputs[0].name == "logits"


@needs_oracle
def test_without_its_first_lines_the_program_runs_in_onnxruntime(
    program: str, tmp_path: pathlib.Path
) -> None:
    printed = run_real(BATCHES + program.replace(OURS.lstrip(), ""), tmp_path)
    theirs = [float(line) for line in printed.splitlines()]
    assert losses_of_program(program, tmp_path) == pytest.approx(theirs, abs=1.1e-4)


def test_calls_by_onnxruntime_s_names_and_temper_s_do_the_same(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    temper.from_text(mlp_text()).save(tmp_path / "model.onnx")
    names: dict[str, Any] = {"temper": temper, "api": api, "artifacts": artifacts, "step": 3}
    exec(BATCHES, names)
    rows = rows_of("coming_from_onnxruntime.md", "with ONNX Runtime's names | with Temper's")
    assert len(rows) == 17
    for theirs, ours in rows:
        (call,) = calls_in(theirs)
        exec(call, names)
        for own in calls_in(ours):
            exec(own, names)
    session, module = names["session"], names["module"]
    # the session and the module have checkpoints of their own, which were treated alike
    numpy.testing.assert_array_equal(
        session.parameters_to_array(), module.get_contiguous_parameters().numpy()
    )
    assert session.checkpoint.step == 1
    assert session.learning_rate == pytest.approx(0.01)


def test_names_that_the_page_lists_are_there() -> None:
    pytest.importorskip("onnx")
    path = DOCS / "coming_from_onnxruntime.md"
    if not path.exists():
        pytest.skip("the documentation is not here")
    listed = re.findall(r"^- `(artifacts|api|onnxblock)`: (.*)$", path.read_text(), re.MULTILINE)
    assert len(listed) == 3
    for module, text in listed:
        found = importlib.import_module(f"temper.onnxruntime.training.{module}")
        for name in re.findall(r"`(\w+)`", text.partition(";")[0]):
            assert hasattr(found, name), name
