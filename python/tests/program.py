# SPDX-License-Identifier: Apache-2.0
"""The program temper, which the tests compare with."""

from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

import temper

PROGRAM = pathlib.Path(temper.__file__).parents[2] / "bin" / "temper"

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")


def flags_of(settings: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as flags: the same names with dashes."""
    flags: list[str] = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            flags += [flag, value["key"]]
            flags += flags_of({key: each for key, each in value.items() if key != "key"})
        elif value is True:
            flags.append(flag)
        elif value is False:
            flags.append("--no-" + flag[2:])
        elif isinstance(value, list):
            flags += [flag, ",".join(map(str, value))]
        else:
            flags += [flag, str(value)]
    return flags


def train(folder: pathlib.Path, work: pathlib.Path, **settings: Any) -> list[dict[str, Any]]:
    """`temper train`, which saves into ``work / "saved"``. Returns the events of its log."""
    arguments = flags_of({"save": work / "saved", "log": work / "run.jsonl", **settings})
    done = subprocess.run(
        [str(PROGRAM), "train", str(folder), *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    with open(work / "run.jsonl") as log:
        return [json.loads(line) for line in log]
