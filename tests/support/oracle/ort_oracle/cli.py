# SPDX-License-Identifier: Apache-2.0
"""Command line, JSON and exit codes of the scripts.

0: all went well. 1: ONNX Runtime refused or failed. 2: the call was wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

LARGEST_SAFE_INTEGER = 2**53 - 1


class UsageError(Exception):
    """The call was wrong: an option, a file, feeds that do not fit."""


def make_parser(description: str) -> argparse.ArgumentParser:
    """A parser of `--name value` and `--name=value`; `--help` keeps the description's line
    breaks."""
    return argparse.ArgumentParser(
        description=description,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def names(text: str) -> list[str]:
    """The type of an option that takes a list: a,b,c."""
    return [name for name in (part.strip() for part in text.split(",")) if name]


def finite(text: str) -> float:
    """The type of an option that takes a number."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def need_file(path: str, option: str) -> str:
    """The path again. Raises: UsageError where no file can be read there."""
    try:
        with open(path, "rb"):
            return path
    except OSError as error:
        raise UsageError(f"cannot read --{option}: {error}") from error


def call(name: str, main: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Runs a script's main function and turns what it raises into a message and an exit code."""
    try:
        return main(arguments)
    except SystemExit as end:  # argparse: --help, or a wrong option that it has explained
        return end.code if isinstance(end.code, int) else 2
    except UsageError as error:
        print(f"{name}: {error}\n({name} --help shows the options)", file=sys.stderr)
        return 2
    except Exception as error:  # whatever the runtime throws
        print(f"{name}: {error}", file=sys.stderr)
        if os.environ.get("ORT_ORACLE_TRACE"):
            traceback.print_exc()
        return 1


def run_forked(task: Callable[[], int]) -> tuple[int, str]:
    """Runs the task in a forked process, as the native runtime may crash and take its process
    along.

    Returns: the exit status, and what is wrong where a signal ended the process (the status is 1
    then).
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = task()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)
    _, how = os.waitpid(child, 0)
    if os.WIFSIGNALED(how):
        name = signal.Signals(os.WTERMSIG(how)).name
        return 1, f"the runtime crashed or was stopped: the process ended with {name}"
    return os.WEXITSTATUS(how), ""


def run_script(main: Callable[[list[str]], int]) -> None:
    """Runs a script and ends the process with its exit code."""
    name = pathlib.Path(sys.argv[0]).stem
    status, problem = run_forked(lambda: call(name, main, sys.argv[1:]))
    if problem:
        print(f"{name}: {problem}", file=sys.stderr)
    sys.exit(status)


def print_json(value: Any) -> None:
    """Writes a JSON document to stdout."""
    print(json.dumps(json_safe(value), indent=2, ensure_ascii=False))


def json_safe(value: Any) -> Any:
    """What every reader of JSON takes: NaN, infinities and integers above 2^53 as text, whole
    floats as integers."""
    if isinstance(value, dict):
        return {key: json_safe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_safe(item) for item in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return int(value) if value.is_integer() and abs(value) <= LARGEST_SAFE_INTEGER else value
    if isinstance(value, int) and abs(value) > LARGEST_SAFE_INTEGER:
        return str(value)
    return value
