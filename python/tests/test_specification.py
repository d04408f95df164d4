# SPDX-License-Identifier: Apache-2.0
"""specification.py names a test for everything, and these tests exist."""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
from typing import Any

import pytest
from specification import (
    ARTIFACTS,
    BLOCKS,
    BUILDING,
    CHECKPOINT_STATE,
    DIFFERENCES,
    FAULTS,
    LOSSES,
    MODULE,
    OPTIMIZER,
    OPTIMIZERS,
    PARAMETER,
    SCHEDULER,
    TABLES,
    USAGES,
    Rows,
)
from test_guides import rows_of

from temper.onnxruntime.training import api
from temper.onnxruntime.training.api.checkpoint_state import Parameter
from temper.onnxruntime.training.artifacts import generate_artifacts

HERE = pathlib.Path(__file__).parent


def names_of_tests(folder: pathlib.Path) -> set[str]:
    """As specification.py writes them."""
    found = set()
    for file in folder.glob("test_*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found.add(f"{file.stem[5:]}::{node.name[5:]}")
    return found


TESTS = names_of_tests(HERE)


@pytest.mark.parametrize("section", TABLES)
def test_each_row_has_tests_that_exist(section: str) -> None:
    for row, tests in TABLES[section].items():
        assert tests, row
        assert not set(tests) - TESTS, row
        assert len(set(tests)) == len(tests), row


def numbered(rows: Rows, count: int) -> None:
    assert list(rows) == [str(number + 1) for number in range(count)]


def test_all_usages_and_faults_have_a_row() -> None:
    numbered(USAGES, 18)
    numbered(FAULTS, 20)
    listed = {test for rows in (USAGES, FAULTS) for tests in rows.values() for test in tests}
    assert {test for test in TESTS if re.search(r"::\d", test)} <= listed


def members(thing: type) -> set[str]:
    """What a class adds, but for what Python needs."""
    own = {name for name in vars(thing) if not name.startswith("_")}
    return own | {name for name in ("__init__", "__call__") if name in vars(thing)}


@pytest.mark.parametrize(
    "thing, rows",
    [
        (api.CheckpointState, CHECKPOINT_STATE),
        (Parameter, PARAMETER),
        (api.Module, MODULE),
        (api.Optimizer, OPTIMIZER),
        (api.LinearLRScheduler, SCHEDULER),
    ],
)
def test_each_member_of_a_class_has_a_row(thing: type, rows: Rows) -> None:
    wanted = members(thing)
    if thing in (api.CheckpointState, api.Optimizer, Parameter):
        wanted -= {"__init__"}  # other calls make them, or nothing but two names is given
    assert wanted <= rows.keys()


def test_each_argument_of_generate_artifacts_has_a_row() -> None:
    assert inspect.signature(generate_artifacts).parameters.keys() <= ARTIFACTS.keys()


def test_each_class_and_function_of_onnxblock_has_a_row() -> None:
    pytest.importorskip("onnx")
    from temper.onnxruntime.training import onnxblock

    def classes(module: Any) -> set[str]:
        return {
            name
            for name, thing in vars(module).items()
            if inspect.isclass(thing) and issubclass(thing, onnxblock.Block) and name[0] != "_"
        }

    assert classes(onnxblock.blocks) - {"OneOutput"} == BLOCKS.keys()
    assert set(onnxblock.loss.__all__) == LOSSES.keys()
    assert set(onnxblock.optim.__all__) == OPTIMIZERS.keys()
    functions = {name for name in onnxblock.__all__ if inspect.isfunction(getattr(onnxblock, name))}
    assert functions == BUILDING.keys()


def test_each_difference_of_the_page_has_a_row() -> None:
    rows = rows_of("coming_from_onnxruntime.md", "in ONNX Runtime 1.19.2 | here")
    assert len(rows) == len(DIFFERENCES)
    for (difference, _), beginning in zip(rows, DIFFERENCES):
        assert difference.startswith(beginning)
