# SPDX-License-Identifier: Apache-2.0
"""Runs scripts with the real onnxruntime-training 1.19.2, if it is installed.

Scripts can import temper, too, if that Python has the version that the module was built for.
"""

from __future__ import annotations

import atexit
import json
import os
import pathlib
import select
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(os.environ.get("TEMPER_SOURCE_DIR", HERE.parents[1]))
FOLDER = pathlib.Path(os.environ.get("TEMPER_ORT_ORACLE") or ROOT / "build" / "ort-oracle")
PYTHON = FOLDER / "bin" / "python"

ABSENT = "the real ONNX Runtime is absent: run tests/support/setup_oracle.sh"  # tools/oracle.sh

_TIMEOUT_SECONDS = 240

#: Marks a test that compares with it; conftest.py skips these if it is not installed.
needs_oracle = pytest.mark.oracle

scripts_run = 0

_server: subprocess.Popen[str] | None = None


def is_installed() -> bool:
    """Whether this user can run it."""
    return os.access(PYTHON, os.X_OK) and os.access(FOLDER / "ort-oracle-installed", os.R_OK)


def _environment() -> dict[str, str]:
    paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }


def run_real(script: str, folder: pathlib.Path) -> str:
    """What the script prints, run in the folder, with onnxruntime loaded already."""
    global scripts_run, _server
    scripts_run += 1
    if _server is None or _server.poll() is not None:
        _server = subprocess.Popen(
            [PYTHON, HERE / "oracle_server.py"],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(_server.kill)
    assert _server.stdin is not None and _server.stdout is not None
    _server.stdin.write(json.dumps({"script": script, "folder": str(folder)}) + "\n")
    _server.stdin.flush()
    if not select.select([_server.stdout], [], [], _TIMEOUT_SECONDS)[0]:
        _server.kill()
        pytest.fail(f"ONNX Runtime did not answer within {_TIMEOUT_SECONDS} s.")
    answer = json.loads(_server.stdout.readline())
    assert answer["status"] == 0, answer["stderr"]
    return str(answer["stdout"])


def run_alone(script: str, folder: pathlib.Path) -> str:
    """What the script prints, run in a process of its own in which nothing is imported yet."""
    global scripts_run
    scripts_run += 1
    result = subprocess.run(
        [PYTHON, "-c", script],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout
