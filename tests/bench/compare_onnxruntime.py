#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inference of exported models in Temper's runtime and ONNX Runtime, compared in one run.

    tests/bench/compare_onnxruntime.py [--models resnet18,encoder,...] [--rounds N] [--seconds S]
                                       [--temper FILE] [--oracle FOLDER]
                                       [--baseline torch_baseline.py] [--json]

Both run the file that `temper export` makes from training artifacts, on the same batch. The engines
take turns, each in its own process, for about --seconds each; a round is one turn of both.
Before the rounds each tries one thread and all cores, and continues with the faster choice.
The ratio is the median over the rounds of (ONNX Runtime's median run / Temper's median run) of that
round: what else the machine does affects both. Ratios above 1 mean that Temper is faster.

ONNX Runtime is the inference build of ort-oracle, on the CPU, which tests/support/setup_oracle.sh
installs. The models come from torch_baseline.py; it needs python3-torch, python3-torchvision,
python3-onnx and python3-numpy.
"""
import pathlib
import sys

from pairing import (ROOT, CommandSide, loss_of, make_parser, output_of, print_table, ratio_head,
                     ratio_row, ratio_text, turns_at_better_threads)

MODELS = ["resnet18", "mobilenetv2", "encoder"]


def oracle_command(folder):
    """Returns: the command for inference in ONNX Runtime. Ends the script if it is missing."""
    python = pathlib.Path(folder) / "bin/python"
    if not python.exists():
        print(f"error: ONNX Runtime is not set up: there is no {python}\n"
              "  hint: tests/support/setup_oracle.sh installs it into build/ort-oracle; "
              "--oracle names another folder", file=sys.stderr)
        sys.exit(2)
    return [str(python), str(ROOT / "tests/support/oracle/infer.py")]


def export_for_inference(arguments, name, folder):
    """Returns: the inference model that Temper makes from a forward model."""
    artifacts, model = f"{folder}/{name}-artifacts", f"{folder}/{name}-inference.onnx"
    output_of([arguments.temper, "artifacts", f"{folder}/{name}.onnx", "--out", artifacts, "--loss",
               loss_of(name), "--optimizer", "adamw-torch"], f"Temper's making artifacts of {name}")
    output_of([arguments.temper, "export", artifacts, "--out", model, "--outputs", "output"],
              f"Temper's export of {name}")
    return model


def write_inputs(name, folder):
    """Returns: the feeds without those that only the loss reads, which inference would refuse."""
    import numpy as np

    path = f"{folder}/{name}-inputs.npz"
    with np.load(f"{folder}/{name}.npz") as feeds:
        np.savez(path, **{key: feeds[key] for key in feeds.files if key.startswith("input_")})
    return path


def compare(arguments, name, folder):
    model, feeds = export_for_inference(arguments, name, folder), write_inputs(name, folder)
    ort = [*oracle_command(arguments.oracle), "--model", model, "--feeds", feeds]
    temper = [arguments.temper, "run", model, "--feeds", feeds, "--json"]
    sides = {"onnxruntime": CommandSide(f"ONNX Runtime's inference of {name}", ort, "--bench",
                                        lambda answer: {"median_ms": answer["bench"]["medianMs"]}),
             "temper": CommandSide(f"Temper's inference of {name}", temper, "--bench")}
    threads, turns = turns_at_better_threads(sides, arguments)
    return ratio_row(name, turns, threads, "onnxruntime", "temper")


def main():
    parser = make_parser(__doc__, MODELS)
    parser.add_argument("--oracle", default=str(ROOT / "build/ort-oracle"),
                        help="where ONNX Runtime is")
    arguments = parser.parse_args()
    oracle_command(arguments.oracle)
    head = ("Median ms a run (threads), ONNX Runtime / Temper\n"
            f"{ratio_head('ONNX Runtime', 'Temper')}")
    print_table(arguments, head, compare, lambda row: ratio_text(row, "onnxruntime", "temper"))


if __name__ == "__main__":
    main()
