#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows what a training checkpoint holds, and writes its tensors out. Reads the file by itself,
without ONNX Runtime."""

from __future__ import annotations

import argparse
from typing import Any

from ort_oracle.arrays import Arrays, write_arrays
from ort_oracle.checkpoint import Checkpoint, OptimizerGroup, Property, read_checkpoint
from ort_oracle.cli import make_parser, print_json, run_script

PROPERTY_TYPES = {int: "int64", float: "float", str: "string"}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument(
        "--out",
        metavar="FILE|DIR",
        help="write the tensors, to an .npz or a folder of .npy: "
        "parameters under their names, optimizer states under GROUP/PARAMETER/MOMENTUM",
    )
    return parser.parse_args(arguments)


def group_to_json(group: OptimizerGroup) -> dict[str, Any]:
    return {
        "name": group.name,
        "step": group.step,
        "initialLearningRate": group.initial_learning_rate,
        "states": [
            {"parameter": parameter, "momentums": [moment.to_json() for moment in moments]}
            for parameter, moments in group.states.items()
        ],
    }


def property_to_json(value: Property) -> dict[str, Any]:
    return {"type": PROPERTY_TYPES[type(value)], "value": value}


def arrays_of(checkpoint: Checkpoint) -> Arrays:
    """The tensors that have values."""
    tensors = {tensor.name: tensor.array for tensor in [*checkpoint.trainable, *checkpoint.frozen]}
    for group in checkpoint.groups:
        for parameter, moments in group.states.items():
            tensors.update(
                {f"{group.name}/{parameter}/{moment.name}": moment.array for moment in moments}
            )
    return {name: array for name, array in tensors.items() if array is not None}


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    checkpoint = read_checkpoint(options.checkpoint)
    if options.out is not None:
        write_arrays(options.out, arrays_of(checkpoint))
    print_json(
        {
            "version": checkpoint.version,
            "nominal": checkpoint.is_nominal,
            "externalData": checkpoint.has_external_data,
            "trainable": [tensor.to_json() for tensor in checkpoint.trainable],
            "frozen": [tensor.to_json() for tensor in checkpoint.frozen],
            "optimizerGroups": [group_to_json(group) for group in checkpoint.groups],
            "properties": {
                name: property_to_json(value) for name, value in checkpoint.properties.items()
            },
        }
    )
    return 0


if __name__ == "__main__":
    run_script(main)
