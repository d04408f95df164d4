# SPDX-License-Identifier: Apache-2.0
"""The code in the documentation's pages runs, and prints what they show."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
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


def test_the_tutorial_prints_what_it_shows(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of("tutorial.md")
    names: dict[str, Any] = {"__name__": "tutorial"}
    shown = 0
    for (language, code), (next_language, text) in zip(blocks, [*blocks[1:], ("", "")]):
        if language == "python":
            expected = text if next_language == "text" else ""
            assert printed_by(code, names) == expected
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
