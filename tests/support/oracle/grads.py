#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a training model once in the real runtime and writes the gradient of every parameter (before
accumulation), or any other tensor of its graph.

Prints JSON: outputs, and for each gradient its shape, norm, smallest and largest value.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ort_oracle import runtime
from ort_oracle.arrays import Arrays, read_arrays, summarize_all, write_arrays
from ort_oracle.checkpoint import read_checkpoint
from ort_oracle.cli import UsageError, make_parser, names, print_json, run_script
from ort_oracle.feeds import match_feeds, read_feeds, step_feeds
from ort_oracle.models import Model, bytes_with_outputs, read_model, type_number

BUFFER, ACCUMULATED, RESET = (
    "_grad.accumulation.buffer",
    "_grad.accumulation.out",
    "lazy_reset_grad",
)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add("--train", required=True, help="training model (.onnx)")
    add("--checkpoint", required=True, help="the values of the parameters")
    add(
        "--params",
        metavar="FILE",
        help=".npz with parameters by name to use instead of the checkpoint's",
    )
    add(
        "--feeds",
        action="append",
        required=True,
        help="inputs, as for train.py (of an array with a step dimension, " "the first step)",
    )
    add(
        "--fetch",
        type=names,
        default=[],
        metavar="NAMES",
        help="further tensors of the graph to write: a,b,c",
    )
    add("--only", type=names, metavar="NAMES", help="only the gradients of these parameters")
    add(
        "--out",
        metavar="FILE|DIR",
        help=".npz, or a folder of .npy: gradients under the parameters' names, outputs "
        "under output/NAME, fetched tensors under tensor/NAME",
    )
    runtime.add_runtime_options(parser)
    return parser.parse_args(arguments)


def gradients_of(model: Model) -> dict[str, str]:
    """The tensors that go into the accumulators, by parameter."""
    accumulators = [
        node
        for node in model.nodes
        if node.op_type in ("InPlaceAccumulator", "InPlaceAccumulatorV2")
    ]
    return {node.input[0].removesuffix(BUFFER): node.input[1] for node in accumulators}


def wanted_gradients(options: argparse.Namespace, model: Model) -> dict[str, str]:
    """Raises: UsageError."""
    gradients = gradients_of(model)
    if not gradients and not options.fetch:
        raise UsageError(
            f"{options.train}: no InPlaceAccumulatorV2 nodes, this is no training model"
        )
    if options.only is None:
        return gradients
    for name in options.only:
        if name not in gradients:
            raise UsageError(f"--only: the model has no gradient of '{name}'")
    return {name: gradients[name] for name in options.only}


def extra_outputs(
    options: argparse.Namespace, model: Model, gradients: dict[str, str]
) -> dict[str, int]:
    """Which tensors become graph outputs, with their element types. Raises: UsageError."""
    produced = {output for node in model.nodes for output in node.output}
    for name in options.fetch:
        if name not in produced:
            raise UsageError(f"--fetch: the graph computes no '{name}'")
    extra = {name: 0 for name in options.fetch}
    for parameter, gradient in gradients.items():
        info = model.inputs.get(parameter)
        extra[gradient] = type_number(info.type) if info and info.type else 0
    return {name: number for name, number in extra.items() if name not in model.outputs}


def known_values(options: argparse.Namespace) -> dict[str, np.ndarray | None]:
    """The parameters by name; None for those of a nominal checkpoint."""
    checkpoint = read_checkpoint(options.checkpoint)
    known = {tensor.name: tensor.array for tensor in [*checkpoint.trainable, *checkpoint.frozen]}
    return {**known, **(read_arrays(options.params) if options.params else {})}


def inputs_of(options: argparse.Namespace, model: Model) -> Arrays:
    """What goes into the graph: parameters, empty accumulators, the reset, and the feeds. Raises:
    UsageError."""
    known, inputs, of_the_user = known_values(options), {}, []
    for name, info in model.inputs.items():
        if name == RESET:
            inputs[name] = np.ones(1, np.bool_)
        elif name.endswith(BUFFER):
            values = known.get(name.removesuffix(BUFFER))
            inputs[name] = np.zeros(info.shape if values is None else values.shape, info.type)
        elif name not in known:
            of_the_user.append(name)
        elif known[name] is None:
            raise UsageError("the checkpoint is nominal: give the values with --params")
        else:
            inputs[name] = known[name]
    arrays, _ = match_feeds(of_the_user, model.inputs, read_feeds(options.feeds), "training")
    return {**inputs, **step_feeds(arrays, model.inputs, "auto")(0)}


def described(tensor: str, gradient: np.ndarray) -> dict[str, Any]:
    wide = gradient.astype(np.float64)
    return {
        "tensor": tensor,
        "shape": list(gradient.shape),
        "norm": float(np.sqrt(np.square(wide).sum())),
        "min": float(wide.min(initial=np.inf)),
        "max": float(wide.max(initial=-np.inf)),
    }


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    model = read_model(options.train, with_external_data=True)
    if model is None:
        raise UsageError(f"{options.train}: not an ONNX model (an .ort model cannot be used here)")
    gradients = wanted_gradients(options, model)
    extra = extra_outputs(options, model, gradients)
    inputs = inputs_of(options, model)
    session = runtime.Session(runtime.TRAINING, bytes_with_outputs(model, extra), options)
    outputs = [name for name in model.outputs if not name.endswith(ACCUMULATED)]
    fetched = session.run(
        inputs, list(dict.fromkeys([*outputs, *extra, *gradients.values(), *options.fetch]))
    )

    result: dict[str, Any] = {
        "runtime": runtime.version(runtime.TRAINING),
        "outputs": summarize_all({name: fetched[name] for name in outputs}),
        "gradients": {
            name: described(tensor, fetched[tensor]) for name, tensor in gradients.items()
        },
    }
    if options.fetch:
        result["tensors"] = summarize_all({name: fetched[name] for name in options.fetch})
    if options.out is not None:
        write_arrays(
            options.out,
            {
                **{f"output/{name}": fetched[name] for name in outputs},
                **{name: fetched[tensor] for name, tensor in gradients.items()},
                **{f"tensor/{name}": fetched[name] for name in options.fetch},
            },
        )
    print_json(result)
    return 0


if __name__ == "__main__":
    run_script(main)
