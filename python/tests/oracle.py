# SPDX-License-Identifier: Apache-2.0
"""Runs scripts with the real onnxruntime-training 1.19.2, if it is installed.

Scripts can import temper, too, if that Python has the version that the module was built for.
"""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(os.environ.get("TEMPER_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
FOLDER = pathlib.Path(os.environ.get("TEMPER_ORT_ORACLE") or ROOT / "build" / "ort-oracle")
PYTHON = FOLDER / "bin" / "python"

# onnxruntime.training imports PyTorch; its modules artifacts and api do without.
_PREPARE = """
import os, sys, types
import onnxruntime
package = types.ModuleType("onnxruntime.training")
package.__path__ = [os.path.join(os.path.dirname(onnxruntime.__file__), "training")]
sys.modules["onnxruntime.training"] = package
"""

needs_oracle = pytest.mark.skipif(
    not PYTHON.exists(), reason="the real onnxruntime-training is not installed"
)


def run_real(script: str, folder: pathlib.Path) -> str:
    """What the script prints, run in the folder."""
    result = subprocess.run(
        [PYTHON, "-c", _PREPARE + script],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout
