#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports an eval model with a checkpoint's parameters for inference, with the real ONNX Runtime
Training. Prints JSON: the model's inputs and outputs.
"""

from __future__ import annotations

import argparse

from ort_oracle import runtime
from ort_oracle.cli import make_parser, names, need_file, print_json, run_script
from ort_oracle.models import read_model


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add("--train", required=True, help="training model (.onnx or .ort)")
    add("--eval", required=True, help="eval model")
    add("--checkpoint", required=True)
    add(
        "--outputs",
        type=names,
        required=True,
        metavar="NAMES",
        help="outputs that the model keeps: a,b,c",
    )
    add("--out", required=True, help="the model (.onnx)")
    runtime.add_runtime_options(parser)
    parser.set_defaults(optimizer=None)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    for name in ("train", "eval", "checkpoint"):
        need_file(getattr(options, name), name)
    runtime.Trainer(options).export(options.out, options.outputs)
    model = read_model(options.out)
    print_json(
        {
            "runtime": runtime.version(runtime.TRAINING),
            "inputs": list(model.inputs),
            "outputs": list(model.outputs),
        }
    )
    return 0


if __name__ == "__main__":
    run_script(main)
