# SPDX-License-Identifier: Apache-2.0
"""as_onnxruntime_training(): onnxruntime's names, in processes of their own."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

needs_onnx = pytest.mark.skipif(
    importlib.util.find_spec("onnx") is None, reason="the package onnx is not installed"
)


def run(script: str, *paths: pathlib.Path) -> str:
    """What a script prints in a process of its own, with more folders to import from."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        [*map(str, paths), environment.get("PYTHONPATH", "")]
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def fake_package(folder: pathlib.Path, training: bool) -> pathlib.Path:
    """An installed onnxruntime, with or without training."""
    capi = folder / "onnxruntime" / "capi"
    capi.mkdir(parents=True)
    (folder / "onnxruntime" / "__init__.py").write_text(
        "seeds = []\n__version__ = '1.2.3'\ndef set_seed(seed): seeds.append(seed)\n"
    )
    (capi / "__init__.py").touch()
    (capi / "_pybind_state.py").write_text("class CheckpointState: pass\n" if training else "")
    if training:
        (folder / "onnxruntime" / "training").mkdir()
        (folder / "onnxruntime" / "training" / "__init__.py").write_text("name = 'the real one'\n")
    return folder


@pytest.mark.parametrize(
    "statement, what",
    [
        ("from onnxruntime.training import artifacts as a", "a.generate_artifacts"),
        ("import onnxruntime.training.api as a", "a.Module"),
        ("from onnxruntime.training.api import Optimizer as a", "a"),
        ("from onnxruntime.training.api.checkpoint_state import CheckpointState as a", "a"),
        ("from onnxruntime.training.api.checkpoint_state import Parameters as a", "a"),
        ("from onnxruntime.training.api.checkpoint_state import Parameter as a", "a"),
        ("from onnxruntime.training.api.checkpoint_state import Properties as a", "a"),
        ("import onnxruntime.training.api.lr_scheduler as a", "a.LinearLRScheduler"),
        ("import onnxruntime.training.api.module as a", "a.Module"),
        ("import onnxruntime.training.api.optimizer as a", "a.Optimizer"),
        ("import onnxruntime", "onnxruntime.training.artifacts.LossType"),
        ("from onnxruntime.capi._pybind_state import GradientGraphBuilder as a", "a"),
        ("import onnxruntime", "onnxruntime.capi._pybind_state.GradientGraphBuilder"),
        pytest.param("import onnxruntime.training.onnxblock as a", "a.Block", marks=needs_onnx),
        *(
            pytest.param(statement, what, marks=needs_onnx)
            for statement, what in [
                ("import onnxruntime.training.onnxblock.blocks as a", "a.Linear"),
                ("import onnxruntime.training.onnxblock.loss.loss as a", "a.MSELoss"),
                ("from onnxruntime.training.onnxblock.loss import MSELoss as a", "a"),
                ("from onnxruntime.training.onnxblock.optim.optim import SGDOptimizer as a", "a"),
                ("import onnxruntime.training.onnxblock.optim as a", "a.ClipGradNorm"),
                ("from onnxruntime.training import onnxblock as a", "a.Block"),
                ("from onnxruntime.training.onnxblock.checkpoint_utils import save_checkpoint as a",
                 "a"),
                ("import onnxruntime.training.onnxblock.model_accessor as a", "a.ModelAccessor"),
                ("import onnxruntime.training.onnxblock.onnxblock as a", "a.TrainingBlock"),
            ]
        ),
    ],
)
def test_every_spelling_of_an_import_works(statement: str, what: str) -> None:
    script = f"import temper; temper.as_onnxruntime_training()\n{statement}\nprint({what}.__module__)"
    assert run(script).startswith("temper.")


@needs_onnx
def test_all_names_of_onnxblock_are_there() -> None:
    script = """
import temper; temper.as_onnxruntime_training()
from onnxruntime.training.onnxblock import (
    Block, ForwardBlock, TrainingBlock, base, blocks, custom_op_library, empty_base,
    load_checkpoint_to_model, loss, optim, save_checkpoint)
print(loss.loss.L1Loss is loss.L1Loss, optim.optim.SGD is optim.SGD)
"""
    assert run(script) == "True True\n"


@needs_onnx
def test_a_block_under_either_name_is_the_same_class() -> None:
    script = """
import temper
temper.as_onnxruntime_training()
from onnxruntime.training.onnxblock import Block, blocks, loss
from onnxruntime.training.onnxblock.blocks import PassThrough
import temper.onnxruntime.training.onnxblock as ours
print(Block is ours.Block, PassThrough is ours.blocks.PassThrough, blocks.__spec__.name)
"""
    assert run(script) == "True True temper.onnxruntime.training.onnxblock.blocks\n"


def test_onnxblock_without_onnx_says_what_it_needs(tmp_path: pathlib.Path) -> None:
    (tmp_path / "onnx.py").write_text("raise ImportError('no onnx')")
    script = """
from temper.onnxruntime.training import api, artifacts
try:
    from temper.onnxruntime.training import onnxblock
except ImportError as error:
    print(error)
"""
    assert run(script, tmp_path) == "onnxblock needs the package onnx; install it with pip.\n"


def test_the_classes_are_those_of_temper_onnxruntime() -> None:
    script = """
import temper
first = temper.as_onnxruntime_training()
assert temper.as_onnxruntime_training() is first
from onnxruntime.training.artifacts import LossType
import temper.onnxruntime.training.artifacts as ours
print(LossType is ours.LossType, first.__temper__)
"""
    assert run(script) == "True True\n"


def test_without_the_call_nothing_is_called_onnxruntime() -> None:
    script = "import sys, temper, temper.onnxruntime.training; print('onnxruntime' in sys.modules)"
    assert run(script) == "False\n"


def test_a_plain_onnxruntime_stays_and_its_seed_seeds_temper_too(tmp_path: pathlib.Path) -> None:
    script = """
import temper
temper.as_onnxruntime_training()
temper.as_onnxruntime_training()
import onnxruntime
from temper.onnxruntime import _seed
onnxruntime.set_seed(5)
print(onnxruntime.__version__, onnxruntime.seeds, _seed.next_seed() >> 32)
"""
    assert run(script, fake_package(tmp_path, training=False)) == "1.2.3 [5] 5\n"


def test_a_real_training_build_is_left_alone_unless_forced(tmp_path: pathlib.Path) -> None:
    script = """
import temper
real = temper.as_onnxruntime_training()
print(real.name, real.__temper__)
forced = temper.as_onnxruntime_training(force=True)
from onnxruntime.training import artifacts
print(forced.__temper__, artifacts.__name__)
"""
    assert run(script, fake_package(tmp_path, training=True)) == (
        "the real one False\nTrue temper.onnxruntime.training.artifacts\n"
    )


def test_a_real_training_build_that_lacks_pytorch_is_replaced(tmp_path: pathlib.Path) -> None:
    fake_package(tmp_path, training=True)
    (tmp_path / "onnxruntime" / "training" / "__init__.py").write_text("import no_torch_here\n")
    script = """
import temper
print(temper.as_onnxruntime_training().__temper__)
from onnxruntime.training.api import Module
print(Module.__module__)
"""
    assert run(script, tmp_path) == "True\ntemper.onnxruntime.training.api.module\n"


def test_what_is_not_there_says_what_it_was() -> None:
    from temper.onnxruntime import training

    with pytest.raises(AttributeError) as caught:
        training.ORTModule
    assert str(caught.value) == (
        "Temper has no onnxruntime.training.ORTModule, which ran PyTorch modules in ONNX Runtime. "
        "Export the module with torch.onnx.export() and train the file with temper.fit()."
    )


@pytest.mark.parametrize("called", ["onnxruntime", "temper.onnxruntime"])
@pytest.mark.parametrize(
    "statement, name",
    [
        ("from {}.training import ORTModule", "ORTModule"),
        ("from {}.training.ortmodule import ORTModule", "ortmodule"),
        ("import {}.training.optim", "optim"),
        ("import {}.training.optim.fused_adam", "optim"),
        ("from {}.training import amp", "amp"),
        ("from {}.training import TrainingParameters", "TrainingParameters"),
        ("from {}.training.experimental import export_gradient_graph", "experimental"),
        ("import {}.training.utils.data.sampler", "utils"),
    ],
)
def test_importing_what_is_not_there_says_what_to_use(
    statement: str, name: str, called: str
) -> None:
    script = f"""
import importlib.util, temper
if "{called}" == "onnxruntime":
    temper.as_onnxruntime_training()
try:
    {statement.format(called)}
except ImportError as error:
    print(error)
import {called}.training as training
print(hasattr(training, "{name}"))
"""
    lines = run(script).splitlines()
    assert lines[0].startswith(f"Temper has no onnxruntime.training.{name}, which ")
    assert lines[0].count(". ") == 1 and lines[0].endswith(".")
    assert lines[1:] == ["False"]


def test_a_name_that_never_was_there_is_an_ordinary_import_error() -> None:
    script = """
import importlib.util, temper
temper.as_onnxruntime_training()
for statement in ("from onnxruntime.training import nothing", "import onnxruntime.training.none"):
    try:
        exec(statement)
    except ImportError as error:
        print(error)
print(importlib.util.find_spec("onnxruntime.training.none"))
"""
    first, second, third = run(script).splitlines()
    assert first.startswith("cannot import name 'nothing'")
    assert second == "No module named 'onnxruntime.training.none'"
    assert third == "None"


def test_importing_prints_nothing_starts_no_thread_and_needs_only_numpy() -> None:
    script = """
import sys, threading, os
import temper
unwanted = [name for name in ('onnx', 'torch', 'google.protobuf') if name in sys.modules]
print(unwanted, len(os.listdir('/proc/self/task')))
"""
    expected = run("import numpy, os; print([], len(os.listdir('/proc/self/task')))")
    assert run(script) == expected


def test_dir_shows_public_names_only() -> None:
    import temper

    assert [name for name in dir(temper) if name.startswith("_")] == ["__version__"]
    assert all(hasattr(temper, name) for name in dir(temper))


def test_others_may_ask_whether_onnxruntime_is_there() -> None:
    names = ("onnxruntime", "onnxruntime.capi", "onnxruntime.capi._pybind_state")
    script = f"""
import importlib.util, temper
temper.as_onnxruntime_training()
print(all(importlib.util.find_spec(name) for name in {names}))
"""
    assert run(script) == "True\n"
