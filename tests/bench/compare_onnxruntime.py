#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inference of exported models in Temper's runtime and ONNX Runtime, compared in one run.

    tests/bench/compare_onnxruntime.py [--peers FOLDER] [--models resnet18,encoder,...]
                                       [--threads 1,2] [--rounds N] [--seconds S] [--temper FILE]
                                       [--baseline torch_baseline.py] [--json] [--save FILE]

Both run the file that `temper export` makes from training artifacts, on the same batch, with each
number of threads. ONNX Runtime is that of the environment that --peers names (peers.txt lists its
packages), on the CPU with its default optimizations, and is not charged for copies of inputs and
outputs. The engines take turns, each in its own process, for about --seconds each; a round is one
turn of both. The ratio is the median over the rounds of (ONNX Runtime's median run / Temper's
median run) of that round: what else the machine does affects both. Ratios above 1 mean that Temper
is faster. The memory is the peak of the processes; ONNX Runtime's includes Python and NumPy.
"""
import argparse
import json

from pairing import (ServedSide, add_memory, export_for_inference, find_speed, inference_side,
                     make_parser, memory_head, memory_text, positives, print_table, ratio_head,
                     ratio_row, ratio_text, serve_turns, take_turns, thread_counts)

MODELS = ["resnet18", "mobilenetv2", "encoder", "gpt", "vit", "efficientnet"]


def serve(arguments):
    """The process of ONNX Runtime."""
    import numpy as np
    import onnxruntime as ort

    model, inputs, threads = json.loads(arguments.serve)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    with np.load(inputs) as arrays:
        feeds = {name: ort.OrtValue.ortvalue_from_numpy(arrays[name]) for name in arrays.files}
    outputs = [output.name for output in session.get_outputs()]
    serve_turns(lambda: session.run_with_ort_values(outputs, feeds), {})


def compare_threads(arguments, name, model, inputs, count):
    command = [arguments.peers, __file__, "--serve", json.dumps([model, inputs, count])]
    with ServedSide(f"ONNX Runtime's inference of {name}", command) as ort:
        sides = {"onnxruntime": ort, "temper": inference_side(arguments, name, model, inputs)}
        threads = dict.fromkeys(sides, count)
        find_speed(sides, threads, arguments)
        turns = take_turns(sides, threads, arguments)
    row = ratio_row(name, turns, threads, "onnxruntime", "temper")
    add_memory(row, turns, "onnxruntime", "temper")
    return row


def row_text(row):
    return (f"{ratio_text(row, 'onnxruntime', 'temper')}"
            f"{memory_text(row, 'onnxruntime', 'temper')}")


def compare(arguments, name, folder):
    model, inputs = export_for_inference(arguments, name, folder)
    for count in arguments.threads:
        yield compare_threads(arguments, name, model, inputs, count)


def main():
    parser = make_parser(__doc__, MODELS)
    parser.add_argument("--threads", type=positives, default=thread_counts(),
                        help="numbers of threads, with commas (default: one, and all cores)")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(arguments)
    head = ("Median ms a run (threads); peak MB\n"
            f"{ratio_head('ONNX Runtime', 'Temper')}{memory_head('ORT', 'Temper')}")
    print_table(arguments, head, compare, row_text)


if __name__ == "__main__":
    main()
