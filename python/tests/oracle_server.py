# SPDX-License-Identifier: Apache-2.0
"""Runs scripts beside the real onnxruntime-training, each in a fork of this process.

The runtime takes longer to load than most scripts to run; it starts no threads before it makes a
session. Reads {"script", "folder"} a line and answers {"status", "stdout", "stderr"} a line.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's threads would not survive a fork

import importlib
import json
import sys
import tempfile
import traceback
import types

import numpy  # noqa: F401
import onnx  # noqa: F401

onnxruntime = importlib.import_module("onnxruntime")

# onnxruntime.training imports PyTorch; its modules artifacts and api do without.
package = types.ModuleType("onnxruntime.training")
package.__path__ = [os.path.join(os.path.dirname(str(onnxruntime.__file__)), "training")]
sys.modules["onnxruntime.training"] = package
for module in ("api", "artifacts"):
    importlib.import_module(f"onnxruntime.training.{module}")


def run_child(script: str, folder: str) -> int:
    try:
        os.chdir(folder)
        exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def answer(script: str, folder: str) -> dict[str, object]:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(log.fileno(), 2)
            os._exit(run_child(script, folder))
        status = os.waitpid(child, 0)[1]
        texts = []
        for file in (output, log):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return {"status": status, "stdout": texts[0], "stderr": texts[1]}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line))), flush=True)


main()
