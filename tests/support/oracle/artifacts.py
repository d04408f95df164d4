#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes training artifacts from a forward model with the real ONNX Runtime: training, eval and
optimizer model, and checkpoint. Prints JSON: the files, and the parameters.
"""

from __future__ import annotations

import argparse
import pathlib

import onnx

from ort_oracle import runtime
from ort_oracle.cli import UsageError, make_parser, names, need_file, print_json, run_script
from ort_oracle.models import Model, read_model

LOSSES = {
    "cross-entropy": "CrossEntropyLoss",
    "mse": "MSELoss",
    "bce": "BCEWithLogitsLoss",
    "l1": "L1Loss",
}
OPTIMIZERS = {"adamw": "AdamW", "sgd": "SGD"}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add("--model", required=True, help="forward model (.onnx), its parameters as initializers")
    add("--out", required=True, metavar="DIR", help="folder for the artifacts")
    add(
        "--trainable",
        type=names,
        metavar="NAMES",
        help="parameters to train: a,b,c (default: all float32 "
        "initializers that are not in --frozen)",
    )
    add(
        "--frozen",
        type=names,
        default=[],
        metavar="NAMES",
        help="parameters to hold in the checkpoint, but not to " "train",
    )
    add(
        "--loss",
        choices=LOSSES,
        help="loss to add (default: none, the model's first output is the loss)",
    )
    add(
        "--loss-input-names",
        type=names,
        metavar="NAMES",
        help="what the loss takes (default: the model's outputs)",
    )
    add("--optimizer", choices=OPTIMIZERS, help="optimizer model to make (default: none)")
    add(
        "--additional-output-names",
        type=names,
        metavar="NAMES",
        help="further outputs of the training and eval model",
    )
    add("--nominal-checkpoint", action="store_true", help="also write a nominal checkpoint")
    add("--ort-format", action="store_true", help="also write the models in ORT format")
    runtime.add_log_option(parser)
    return parser.parse_args(arguments)


def trainable_of(options: argparse.Namespace, model: Model) -> list[str]:
    if options.trainable is not None:
        return options.trainable
    return [
        tensor.name
        for tensor in model.proto.graph.initializer
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.name not in options.frozen
    ]


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    model = read_model(need_file(options.model, "model"), with_external_data=True)
    if model is None:
        raise UsageError(f"{options.model}: not an ONNX model")
    trainable = trainable_of(options, model)
    artifacts = runtime.load_artifacts_module(options.log_level)
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    with runtime.doing("cannot make the artifacts"):
        artifacts.generate_artifacts(
            model.proto,
            requires_grad=trainable,
            frozen_params=options.frozen,
            loss=artifacts.LossType[LOSSES[options.loss]] if options.loss else None,
            optimizer=(
                artifacts.OptimType[OPTIMIZERS[options.optimizer]] if options.optimizer else None
            ),
            artifact_directory=folder,
            ort_format=options.ort_format,
            additional_output_names=options.additional_output_names,
            nominal_checkpoint=options.nominal_checkpoint,
            loss_input_names=options.loss_input_names,
        )
    made = read_model(str(folder / "eval_model.onnx"))
    kept = [*trainable, *options.frozen]
    print_json(
        {
            "runtime": runtime.version(runtime.TRAINING),
            "files": sorted(path.name for path in folder.iterdir()),
            "inputs": [name for name in made.inputs if name not in kept],
            "outputs": list(made.outputs),
            "trainable": trainable,
            "frozen": options.frozen,
        }
    )
    return 0


if __name__ == "__main__":
    run_script(main)
