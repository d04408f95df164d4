# SPDX-License-Identifier: Apache-2.0
"""The ways of use, run with ONNX Runtime's modules and with Temper's: the same numbers."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy
import pytest
from oracle import needs_oracle, run_real

import temper
from temper.onnxruntime.training import api, artifacts

pytest.importorskip("onnx")
from temper.onnxruntime.training import onnxblock  # noqa: E402
from usage_programs import PROGRAMS, Modules  # noqa: E402

pytestmark = needs_oracle

RUN = """
import os, pathlib, pickle
import onnxruntime
from onnxruntime.training import api, artifacts
import onnxruntime.training.onnxblock as onnxblock
from usage_programs import PROGRAMS, Modules
as_value = lambda array: onnxruntime.OrtValue.ortvalue_from_numpy(array)._ortvalue
use = Modules(api, artifacts, onnxblock, onnxruntime.InferenceSession, as_value)
os.mkdir("theirs")
results = PROGRAMS["NAME"](use, pathlib.Path("theirs"))
pathlib.Path("results").write_bytes(pickle.dumps(results))
"""


def require_alike(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert list(ours) == list(theirs)
    for name, expected in theirs.items():
        if isinstance(expected, numpy.ndarray) or "losses" in name:
            absolute = 0 if "losses" in name else 1e-6
            numpy.testing.assert_allclose(
                ours[name], expected, rtol=1e-6, atol=absolute, err_msg=name
            )
        else:
            assert ours[name] == expected, name


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_way_of_use_gives_the_same_numbers(name: str, tmp_path: pathlib.Path) -> None:
    run_real(RUN.replace("NAME", name), tmp_path)
    theirs = pickle.loads((tmp_path / "results").read_bytes())
    folder = tmp_path / "ours"
    folder.mkdir()
    use = Modules(api, artifacts, onnxblock, temper.InferenceSession, lambda array: array)
    require_alike(PROGRAMS[name](use, folder), theirs)


READ = """
import onnx
from onnxruntime import InferenceSession
for name in ("training", "eval", "optimizer"):
    path = f"FOLDER/{name}_model.onnx"
    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    onnx.checker.check_model(model)
    for number, node in enumerate(model.graph.node):
        node.name = f"op{number}"
    onnx.save(model, path)
    InferenceSession(path)
    produced = [each for node in model.graph.node for each in node.output if each]
    assert len(produced) == len(set(produced))
    typed = {value.name for value in (*model.graph.value_info, *model.graph.output)
             if value.type.WhichOneof("value")}
    missing = [each for each in produced if each not in typed]
    print(name, len(missing))
"""


def test_16_graphs_are_typed_as_those_of_the_real_one(
    mlp: temper.Model, tmp_path: pathlib.Path
) -> None:
    mlp.save(tmp_path / "mlp.onnx")
    script = (
        "import onnx\n"
        "from onnxruntime.training import artifacts as a\n"
        "a.generate_artifacts(onnx.load('mlp.onnx'), requires_grad=['fc1.weight', 'fc2.weight'],\n"
        "    frozen_params=['fc1.bias', 'fc2.bias'], loss=a.LossType.CrossEntropyLoss,\n"
        "    optimizer=a.OptimType.AdamW, artifact_directory='FOLDER')\n"
    )
    printed = {}
    for folder, package in (("theirs", "onnxruntime"), ("ours", "temper.onnxruntime")):
        (tmp_path / folder).mkdir()
        text = script.replace("FOLDER", folder)
        run_real(text.replace("onnxruntime.training", f"{package}.training"), tmp_path)
        lines = run_real(READ.replace("FOLDER", folder), tmp_path).splitlines()
        printed[folder] = {name: int(count) for name, count in (line.split() for line in lines)}
    for name, missing in printed["ours"].items():
        assert missing <= printed["theirs"][name], printed
