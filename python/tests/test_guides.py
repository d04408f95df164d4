# SPDX-License-Identifier: Apache-2.0
"""The code in the documentation's pages and in the notebook runs, and prints what they show."""

from __future__ import annotations

import ast
import contextlib
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

import temper

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
