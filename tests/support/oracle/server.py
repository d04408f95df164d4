#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts one after the other, without their start-up times.

Reads {"script": "train.py", "arguments": [...]} a line on stdin and answers {"exitStatus",
"stdout", "stderr"} a line on stdout. Each script runs in a fork of this process, which has loaded
ONNX Runtime already: it starts no threads before it makes a session, so that a fork finds it as
new. A crash ends the fork only. Relative paths are relative to where the server was started.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's threads would not survive a fork

import argparse
import importlib
import json
import re
import signal
import subprocess
import sys
import tempfile
from typing import IO, Any

from ort_oracle import cli, runtime

SCRIPTS = ["artifacts", "ckpt", "export", "grads", "infer", "mkckpt", "train"]
EITHER_BUILD = ["infer"]


def build_for(script: str, arguments: list[str]) -> str:
    """The build of ONNX Runtime that a call needs."""
    asks_for_training = re.search(r"--runtime[= ]training\b", " ".join(arguments))
    return runtime.NATIVE if script in EITHER_BUILD and not asks_for_training else runtime.TRAINING


def run(script: str, arguments: list[str], limit_s: int) -> dict[str, Any]:
    """Runs a script in a fork. Returns: the answer."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as log:

        def task() -> int:
            os.dup2(output.fileno(), 1)
            os.dup2(log.fileno(), 2)
            signal.alarm(limit_s)  # ends the fork wherever it hangs
            sys.argv[0] = f"{script}.py"  # what its --help calls it
            return cli.call(script, importlib.import_module(script).main, arguments)

        status, problem = cli.run_forked(task)
        stdout, stderr = text_of(output), text_of(log)
    if problem:
        stderr += f"{script}: {problem}\n"
    return {"exitStatus": status, "stdout": stdout, "stderr": stderr}


def text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def wrong_call(problem: str) -> dict[str, Any]:
    return {"exitStatus": 2, "stdout": "", "stderr": f"server: {problem}\n"}


class Helper:
    """A server with the other build of ONNX Runtime: a process can load one only. Starts with its
    first call."""

    def __init__(self, build: str, limit_s: int):
        self.command = [
            sys.executable,
            os.path.abspath(__file__),
            "--build",
            build,
            "--limit",
            str(limit_s),
        ]
        self.process: subprocess.Popen[str] | None = None

    def answer(self, line: str) -> dict[str, Any]:
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        print(line, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            self.process = None
            return {"exitStatus": 1, "stdout": "", "stderr": "server: the helper ended\n"}
        return json.loads(answer)

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def answer(line: str, build: str, helper: Helper, limit_s: int) -> dict[str, Any]:
    try:
        request = json.loads(line)
        script, arguments = re.sub(r"\.py$", "", request["script"]), [
            str(text) for text in request["arguments"]
        ]
    except (ValueError, TypeError, KeyError) as error:
        return wrong_call(f"not a request: {error!r}")
    if script not in SCRIPTS:
        return wrong_call(f"there is no script '{script}'")
    if build_for(script, arguments) != build:
        return helper.answer(line)
    return run(script, arguments, limit_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--build",
        choices=[runtime.TRAINING, runtime.NATIVE],
        default=runtime.TRAINING,
        help="what to load; calls that need the other build go to a server of that kind",
    )
    parser.add_argument(
        "--limit", type=int, default=280, metavar="SECONDS", help="longest time a script may take"
    )
    options = parser.parse_args()
    for script in SCRIPTS:
        importlib.import_module(script)
    try:
        runtime.load(options.build)
    except RuntimeError:
        pass  # the scripts that need it will say so
    other = runtime.NATIVE if options.build == runtime.TRAINING else runtime.TRAINING
    helper = Helper(other, options.limit)
    for line in sys.stdin:
        print(json.dumps(answer(line.strip(), options.build, helper, options.limit)), flush=True)
    helper.close()


if __name__ == "__main__":
    main()
