#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a training checkpoint from arrays, independently of any other writer: for trying a
training model, or for holding another writer's checkpoints against.
"""

from __future__ import annotations

import argparse

import numpy as np

from ort_oracle.arrays import Arrays, read_arrays
from ort_oracle.checkpoint import OptimizerGroup, Tensor, parse_property, write_checkpoint
from ort_oracle.cli import UsageError, finite, make_parser, names, print_json, run_script

MOMENTS = {"adamw": ["momentum0", "momentum1"], "sgd": ["momentum0"]}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add(
        "--params",
        action="append",
        required=True,
        metavar="FILE|DIR",
        help="parameters by name (.npz, or a folder " "of .npy); may be given several times",
    )
    add("--prefix", default="", help="take only names that begin so, and cut it off: final/adamw/")
    add("--frozen", type=names, default=[], metavar="NAMES", help="these are not trainable: a,b,c")
    add(
        "--trainable",
        type=names,
        metavar="NAMES",
        help="only these are (default: all float32 arrays that are not in " "--frozen)",
    )
    add("--step", type=int, metavar="N", help="add optimizer state with this step count")
    add(
        "--optimizer",
        choices=MOMENTS,
        default="adamw",
        help="adamw (two moments) or sgd (one), for --step; default " "adamw",
    )
    add(
        "--moments",
        metavar="FILE|DIR",
        help="moments for --step, named PARAMETER/momentum0 and PARAMETER/momentum1 "
        "(default: zeros)",
    )
    add(
        "--initial-lr",
        type=finite,
        default=0.001,
        help="initial learning rate for --step (default 0.001)",
    )
    add(
        "--property",
        action="append",
        default=[],
        help="NAME=INTEGER, NAME=FLOAT (with a point), NAME=TEXT; may be " "given several times",
    )
    add("--out", required=True, help="the checkpoint")
    return parser.parse_args(arguments)


def parameters_of(options: argparse.Namespace) -> Arrays:
    """The parameters by name, sorted. Raises: UsageError."""
    arrays = {
        name.removeprefix(options.prefix): array
        for path in options.params
        for name, array in read_arrays(path).items()
        if name.startswith(options.prefix)
    }
    for name in [*options.frozen, *(options.trainable or [])]:
        if name not in arrays:
            raise UsageError(f"there is no parameter '{name}'")
    return dict(sorted(arrays.items()))


def is_trainable(name: str, array: np.ndarray, options: argparse.Namespace) -> bool:
    if name in options.frozen:
        return False
    return array.dtype == np.float32 if options.trainable is None else name in options.trainable


def group_of(trainable: Arrays, options: argparse.Namespace) -> OptimizerGroup:
    """Raises: UsageError."""
    given = read_arrays(options.moments) if options.moments else {}
    states: dict[str, list[Tensor]] = {}
    for name, array in trainable.items():
        states[name] = []
        for moment in MOMENTS[options.optimizer]:
            values = given.get(f"{name}/{moment}", np.zeros(array.shape, np.float32))
            if values.shape != array.shape:
                raise UsageError(f"{name}/{moment}: shape {list(values.shape)}")
            states[name].append(Tensor(moment, values.dtype.name, list(values.shape), values))
    return OptimizerGroup("group0", options.step, options.initial_lr, states)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    arrays = parameters_of(options)
    trainable = {
        name: array for name, array in arrays.items() if is_trainable(name, array, options)
    }
    frozen = {name: array for name, array in arrays.items() if name not in trainable}
    group = group_of(trainable, options) if options.step is not None else None
    write_checkpoint(
        options.out,
        trainable,
        frozen,
        group,
        dict(parse_property(text) for text in options.property),
    )
    print_json({"trainable": list(trainable), "frozen": list(frozen), "step": options.step})
    return 0


if __name__ == "__main__":
    run_script(main)
