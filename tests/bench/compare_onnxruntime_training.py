#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training loops in Python with onnxruntime-training 1.19.2 and with temper.Session, compared.

    tests/bench/compare_onnxruntime_training.py [--peers FOLDER] [--models mlp,lenet,...]
                                                [--rounds N] [--seconds S] [--package FOLDER]
                                                [--oracle FOLDER] [--baseline torch_baseline.py]
                                                [--json] [--save FILE]

Both train the same forward model on the same batch: train step, optimizer step (AdamW) and reset of
the gradients in a loop, the arrays NumPy's. Each has artifacts that it has made itself; if ONNX
Runtime can't make or run its own, it runs Temper's (marked by *). They take turns, each in a new
process of the oracle's Python, for about --seconds each; a round is one turn of both. Before the
rounds each tries one thread and all cores, and continues with the faster choice. Ratios are medians
over the rounds of (ONNX Runtime's / Temper's) of that round: what else the machine does affects
both. Ratios above 1 mean that Temper is faster or smaller.

import   of the module, NumPy being there; for ONNX Runtime that of its binding, since its package
         onnxruntime.training also imports PyTorch, which is not installed in the oracle
RSS      the largest resident set of the process

The oracle is what tests/support/setup_oracle.sh installs. The models come from torch_baseline.py in
the environment that --peers names (peers.txt lists its packages).
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import time

from pairing import (MODELS, ROOT, CommandSide, SideFailed, better_threads, loss_of, make_parser,
                     median_of, output_of, peak_megabytes, print_table, ratio_head, ratio_row,
                     ratio_text, take_turns)

ORACLE_SCRIPTS = ROOT / "tests/support/oracle"
FILES = {"train": "training_model.onnx", "optimizer": "optimizer_model.onnx",
         "checkpoint": "checkpoint"}
WARM_UP_STEPS = 3


# ---- the worker processes -----------------------------------------------------------------------


def onnxruntime_step(folder, feeds, threads):
    """Returns: a function that does one training step and gives the loss; the time of importing."""
    sys.path.insert(0, str(ORACLE_SCRIPTS))
    begin = time.perf_counter()
    import onnxruntime
    from onnxruntime.capi import _pybind_state  # noqa: F401
    seconds = time.perf_counter() - begin
    from ort_oracle import runtime

    onnxruntime.set_default_logger_severity(4)
    files = {key: os.path.join(folder, name) for key, name in FILES.items()}
    # without an eval model: it refuses its own where the model has batch normalizations
    trainer = runtime.Trainer(argparse.Namespace(**files, eval=None, seed=1, log_level="error",
                                                 opt_level="all"), threads)
    loss = trainer.output_names(True)[0]

    def step():
        outputs = trainer.train_step(feeds)
        trainer.optimizer_step()
        return float(outputs[loss])

    return step, seconds


def temper_step(folder, feeds, threads):
    begin = time.perf_counter()
    import temper
    seconds = time.perf_counter() - begin
    session = temper.Session(folder, threads=threads)

    def step():
        loss = session.train_step(feeds).loss
        session.optimizer_step()
        session.reset_gradients()
        return loss

    return step, seconds


def serve(arguments):
    import numpy

    feeds = dict(numpy.load(arguments.feeds))
    open_side = {"onnxruntime": onnxruntime_step, "temper": temper_step}[arguments.serve]
    step, import_seconds = open_side(arguments.artifacts, feeds, arguments.threads)
    first_loss = step()
    for _ in range(WARM_UP_STEPS - 1):
        step()
    milliseconds = []
    for _ in range(arguments.steps):
        begin = time.perf_counter()
        step()
        milliseconds.append((time.perf_counter() - begin) * 1e3)
    print(json.dumps({
        "median_ms": statistics.median(milliseconds), "import_ms": import_seconds * 1e3,
        "peak_rss_mb": peak_megabytes(),
        "first_loss": first_loss}))


# ---- the comparison -----------------------------------------------------------------------------


MAKE = """
import json, sys, temper
made = temper.artifacts(sys.argv[1], sys.argv[2], loss=sys.argv[3])
kinds = {parameter.name: parameter.kind for parameter in temper.open(sys.argv[1]).parameters}
print(json.dumps([made.trainable, [n for n in kinds if kinds[n] == "batch-norm statistic"]]))
"""


def make_artifacts(arguments, name, folder):
    """Returns: the folders of Temper's artifacts, and of ONNX Runtime's; the same one if it can't
    make or run its own."""
    model, loss, python = f"{folder}/{name}.onnx", loss_of(name), arguments.oracle
    ours, theirs = f"{folder}/{name}-temper", f"{folder}/{name}-onnxruntime"
    trainable, running = json.loads(output_of([python, "-c", MAKE, model, ours, loss],
                                              f"Temper's making artifacts of {name}"))
    command = [python, str(ORACLE_SCRIPTS / "artifacts.py"), "--model", model, "--out", theirs,
               "--loss", loss, "--optimizer", "adamw", "--trainable", ",".join(trainable)]
    if running:
        command += ["--frozen", ",".join(running)]
    try:
        output_of(command, f"ONNX Runtime's making artifacts of {name}")
        side_of(arguments, name, folder, "onnxruntime", theirs).measure(1, 0)
    except SideFailed as error:
        print(f"{error} Continuing with Temper's artifacts.", file=sys.stderr)
        theirs = ours
    return ours, theirs


def side_of(arguments, name, folder, side, artifacts):
    return CommandSide(f"training of {name} with {side}",
                       [arguments.oracle, __file__, "--serve", side, "--artifacts", artifacts,
                        "--feeds", f"{folder}/{name}.npz"], "--steps")


def oracle_python(folder):
    python = pathlib.Path(folder) / "bin/python"
    if not python.exists():
        raise argparse.ArgumentTypeError(
            f"there is no {python}; tests/support/setup_oracle.sh installs it")
    return str(python)


def ratio_of(turns, figure):
    return statistics.median(turn["onnxruntime"][figure] / turn["temper"][figure] for turn in turns)


def compare(arguments, name, folder):
    ours, theirs = make_artifacts(arguments, name, folder)
    sides = {side: side_of(arguments, name, folder, side, artifacts)
             for side, artifacts in {"onnxruntime": theirs, "temper": ours}.items()}
    threads = {key: better_threads(side, arguments.seconds) for key, side in sides.items()}
    turns = take_turns(sides, threads, arguments)
    mark = " *" if theirs == ours else ""
    row = ratio_row(name + mark, turns, threads, "onnxruntime", "temper")
    for figure in ("peak_rss_mb", "import_ms"):
        row[f"{figure}_ratio"] = ratio_of(turns, figure)
    for figure in ("peak_rss_mb", "import_ms", "first_loss"):
        row[figure] = [median_of(turns, side, figure) for side in ("onnxruntime", "temper")]
    return row


def text_of(row):
    texts = [ratio_text(row, "onnxruntime", "temper")]
    for figure in ("peak_rss_mb", "import_ms"):
        theirs, ours = row[figure]
        texts.append(f"{theirs:6.0f} {ours:6.0f} {row[figure + '_ratio']:6.2f}")
    losses = row["first_loss"]
    texts.append(f"{abs(losses[0] - losses[1]) / abs(losses[0]):9.1e}")
    return "  ".join(texts)


def main():
    parser = make_parser(__doc__, MODELS[:7])
    parser.add_argument("--oracle", type=oracle_python, default=str(ROOT / "build/ort-oracle"),
                        help="where onnxruntime-training is")
    parser.add_argument("--package", default=str(ROOT / "build/release/python"),
                        help="folder with the package temper")
    hidden = argparse.SUPPRESS
    parser.add_argument("--serve", choices=["onnxruntime", "temper"], help=hidden)
    parser.add_argument("--artifacts", help=hidden)
    parser.add_argument("--feeds", help=hidden)
    parser.add_argument("--threads", type=int, help=hidden)
    parser.add_argument("--steps", type=int, help=hidden)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments)
        return
    os.environ["PYTHONPATH"] = str(pathlib.Path(arguments.package).resolve())
    head = ("Median ms a step (threads), peak RSS in MB, ms of importing, each ONNX Runtime / Temper\n"
            "with the ratio; difference of the first losses\n"
            f"{ratio_head('onnxruntime', 'temper')}"
            f"  {'RSS':>20}  {'import':>20}  {'loss':>9}")
    print_table(arguments, head, compare, text_of)


if __name__ == "__main__":
    main()
