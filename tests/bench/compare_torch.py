#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of Temper and PyTorch on the same ONNX models and batches, compared in one run.

    tests/bench/compare_torch.py [--models mlp,lenet,...] [--rounds N] [--seconds S] [--head-only]
                                 [--busy-core] [--temper FILE] [--baseline torch_baseline.py]
                                 [--json]

The engines take turns, each in its own process, for --seconds each; a round is one turn of
both. Before the rounds each engine tries one thread and all cores, and continues with the
faster choice. The ratio is the median over the rounds of (PyTorch's median step / Temper's median
step) of that round: what else the machine does affects both. Ratios above 1 mean that Temper is
faster.

The last column is the least time of a step by the machine's peaks / Temper's median step, as
`temper bench` reports it; '-' if it does not.

With --busy-core Temper is compared with itself, at its default number of threads: in the second
turn of a round another process keeps one core busy, and the ratio is how much longer steps take.

A step is forward, loss, backward and AdamW. PyTorch's models come from torch_baseline.py, which
also exports them; it needs python3-torch, python3-torchvision, python3-onnx, python3-numpy and
libopenblas0-pthread.
"""
import argparse
import json
import resource
import signal
import statistics
import subprocess
import sys
import time

import busy_core
from pairing import (FEWEST_REPETITIONS, MODELS, CommandSide, ending, load_baseline, loss_of,
                     make_parser, output_of, print_table, process_in_block, ratio_head,
                     ratio_row, ratio_text, turns_at_better_threads)

SETTINGS = {"lr": 1e-3, "weight_decay": 0.01}
WARM_UP_STEPS = 3


def head_of(model):
    """The parameters that --head-only trains: those of the last layer."""
    return list(model.named_parameters())[-2:]


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def torch_step(baseline, name, head_only):
    """Returns: a function that does one training step of PyTorch."""
    import torch
    import torch.nn.functional as F

    make, inputs, labels = baseline.catalogue()[name]
    torch.manual_seed(0)
    model = make().train()
    if head_only:
        head = {n for n, _ in head_of(model)}
        for n, parameter in model.named_parameters():
            parameter.requires_grad_(n in head)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, **SETTINGS)

    def step():
        optimizer.zero_grad(set_to_none=True)
        output = model(*inputs)
        is_image = labels is None
        loss = F.mse_loss(output, inputs[0]) if is_image else F.cross_entropy(output, labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def serve(arguments):
    """The worker process: each line on stdin is 'THREADS SECONDS', each answer the times."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the process that ends this one
    import torch

    step = torch_step(load_baseline(arguments.baseline), arguments.serve, arguments.head_only)
    for line in sys.stdin:
        threads, seconds = line.split()
        torch.set_num_threads(int(threads))
        for _ in range(WARM_UP_STEPS):
            step()
        milliseconds, end = [], time.perf_counter() + float(seconds)
        while time.perf_counter() < end or len(milliseconds) < FEWEST_REPETITIONS:
            start = time.perf_counter()
            step()
            milliseconds.append((time.perf_counter() - start) * 1e3)
        print(json.dumps({"median_ms": statistics.median(milliseconds),
                          "peak_rss_mb": peak_megabytes()}), flush=True)


class TorchSide:
    """PyTorch on one model: a process that waits for its turns."""

    def __init__(self, name, process):
        self.name, self.process = name, process

    def measure(self, threads, seconds):
        try:
            self.process.stdin.write(f"{threads} {seconds}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            sys.exit(f"PyTorch's process for {self.name} ended ({ending(self.process.wait())}); "
                     "its message, if any, is above.")
        return json.loads(answer)


def torch_process(arguments, name):
    command = [sys.executable, __file__, "--serve", name, "--baseline", arguments.baseline]
    if arguments.head_only:
        command.append("--head-only")
    return process_in_block(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def head_names(arguments, name):
    """Uses another process: a program's memory peak begins with that of the one starting it,
    so this one must not load PyTorch."""
    command = [sys.executable, __file__, "--name-head", name, "--baseline", arguments.baseline]
    return output_of(command, f"Naming the last layer of PyTorch's {name}").split()


def name_head(arguments):
    model = load_baseline(arguments.baseline).catalogue()[arguments.name_head][0]()
    for parameter, _ in head_of(model):
        print(parameter)


def temper_side(arguments, name, folder):
    """Temper on one model; `temper bench` has its own warm-up."""
    command = [arguments.temper, "bench", f"{folder}/{name}.onnx", "--feeds",
               f"{folder}/{name}.npz", "--json", "--optimizer", "adamw-torch", "--weight-decay",
               str(SETTINGS["weight_decay"]), "--loss", loss_of(name)]
    if arguments.head_only:
        for parameter in head_names(arguments, name):
            command += ["--train", parameter]
    return CommandSide(f"Temper's training of {name}", command, "--steps")


def roofline_share(figures):
    """Returns: the median, or None if the program is too old to print shares."""
    shares = [turn["roofline"]["share"] for turn in figures if "roofline" in turn]
    return statistics.median(shares) if shares else None


def compare(arguments, name, folder):
    with torch_process(arguments, name) as process:
        sides = {"torch": TorchSide(name, process), "temper": temper_side(arguments, name, folder)}
        threads, turns = turns_at_better_threads(sides, arguments)
    row = ratio_row(name, turns, threads, "torch", "temper")
    for key in sides:
        row[f"{key}_rss_mb"] = max(turn[key]["peak_rss_mb"] for turn in turns)
    row["memory_share"] = row["temper_rss_mb"] / row["torch_rss_mb"]
    row["roofline_share"] = roofline_share([turn["temper"] for turn in turns])
    return row


def compare_busy_core(arguments, name, folder):
    return busy_core.slow_down(arguments, name, temper_side(arguments, name, folder))


def head():
    return ("Median ms a step (threads), PyTorch / Temper; peak MB, Temper / PyTorch; "
            "Temper's share of the roofline\n"
            f"{ratio_head('PyTorch', 'Temper')}{'PyTorch':>9}{'Temper':>9}{'share':>8}"
            f"{'roofline':>10}")


def row_text(row):
    share = row["roofline_share"]
    return (f"{ratio_text(row, 'torch', 'temper')}"
            f"{row['torch_rss_mb']:9.0f}{row['temper_rss_mb']:9.0f}{row['memory_share']:8.2f}"
            f"{'-' if share is None else f'{share:.2f}':>10}")


def parse():
    parser = make_parser(__doc__, MODELS)
    parser.add_argument("--head-only", action="store_true", help="train the last layer only")
    parser.add_argument("--busy-core", action="store_true",
                        help="Temper alone, on the idle machine and while one core is busy")
    parser.add_argument("--serve", metavar="MODEL", help=argparse.SUPPRESS)
    parser.add_argument("--name-head", metavar="MODEL", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.serve:
        return serve(arguments)
    if arguments.name_head:
        return name_head(arguments)
    if arguments.busy_core:
        print_table(arguments, busy_core.head(), compare_busy_core, busy_core.row_text)
    else:
        print_table(arguments, head(), compare, row_text)


if __name__ == "__main__":
    main()
