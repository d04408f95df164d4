#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of Temper and PyTorch on the same ONNX models and batches, compared in one run.

    tests/bench/compare_torch.py [--peers FOLDER] [--models mlp,lenet,...] [--variants eager,...]
                                 [--rounds N] [--seconds S] [--head-only] [--busy-core]
                                 [--temper FILE] [--baseline torch_baseline.py] [--json]
                                 [--save FILE]

PyTorch runs in the environment that --peers names (peers.txt lists its packages). First each of its
variants in torch_baseline.py (eager, compiled, channels last where there are images; all with the
fused AdamW) tries one thread and all cores, each in a new process; the fastest stays. Temper tries
one thread and all cores, too. Then the engines take turns, for --seconds each; a round is one turn
of both. The ratio is the median over the rounds of (PyTorch's median step / Temper's median step)
of that round: what else the machine does affects both. Ratios above 1 mean that Temper is faster.

The memory is the peak of the processes; 'imported' is that of PyTorch's when it has only been
imported, which is much more in its packages with CUDA. The first step is measured from the start
of the process to the end of the first step: in PyTorch importing it, making the model and an eager
step; in Temper `temper step` with artifacts that are there, until the process ends. The roofline is
the least time of a step by the machine's peaks / Temper's median step, as `temper bench` reports
it; '-' if it does not. --json and --save also have the times of all variants.

With --busy-core Temper is compared with itself, at its default number of threads: in the second
turn of a round another process keeps one core busy, and the ratio is how much longer steps take.

A step is forward, loss, backward and AdamW. PyTorch's models come from torch_baseline.py, which
also exports them. Compiled variants need a C++ compiler.
"""
import argparse
import contextlib
import json
import os
import statistics
import sys

import busy_core
from pairing import (MODELS, ServedSide, SideFailed, add_memory, better_threads, cost_of,
                     load_baseline, make_artifacts, make_parser, memory_head, memory_text,
                     output_of, peak_megabytes, peer_environment, print_table, ratio_head,
                     ratio_row, ratio_text, serve_turns, take_turns, thread_counts, training_side)

FIRST_STEPS = 3  # at most so many are measured of each engine


def serve(arguments):
    """A process of PyTorch."""
    import torch

    name, variant, threads = json.loads(arguments.serve)
    torch.set_num_threads(threads)
    baseline = load_baseline(arguments.baseline)
    started = {"imported_rss_mb": peak_megabytes()}
    serve_turns(baseline.training_step(name, variant, arguments.head_only), started)


def tell(arguments):
    """Prints a model's variants, and the parameters that --head-only trains: of the last layer."""
    baseline = load_baseline(arguments.baseline)
    make, inputs, _ = baseline.catalogue()[arguments.tell]
    has_images = any(x.dim() == 4 for x in inputs)
    print(json.dumps({
        "variants": [v for v in baseline.VARIANTS if has_images or "channels_last" not in v],
        "head": [name for name, _ in list(make().named_parameters())[-2:]]}))


def facts_of(arguments, name):
    command = [arguments.peers, __file__, "--tell", name, "--baseline", arguments.baseline]
    facts = json.loads(output_of(command, f"PyTorch's making {name}", env=peer_environment()))
    if arguments.variants:
        facts["variants"] = [v for v in facts["variants"] if v in arguments.variants]
    return facts


def torch_side(arguments, name, variant, threads):
    command = [arguments.peers, __file__, "--serve", json.dumps([name, variant, threads]),
               "--baseline", arguments.baseline]
    if arguments.head_only:
        command.append("--head-only")
    return ServedSide(f"PyTorch's {name} ({variant}, {threads} threads)", command)


class Trial:
    """PyTorch's variants and numbers of threads, each in its process; the fastest stays open."""

    def __init__(self, arguments, name):
        self.arguments, self.name = arguments, name
        self.side, self.best, self.times = None, None, []

    def run(self, variants):
        for variant in variants:
            for threads in thread_counts():
                self.attempt(variant, threads)
        if self.side is None:
            raise SideFailed(f"No variant of PyTorch's {self.name} ran.")

    def attempt(self, variant, threads):
        try:
            side = torch_side(self.arguments, self.name, variant, threads)
        except SideFailed as failed:  # compiling may need what is not there
            print(failed, file=sys.stderr)
            return
        tried = {"variant": variant, "threads": threads, "first_s": side.first_s}
        with contextlib.ExitStack() as stack:
            stack.callback(side.close)
            tried["median_ms"] = side.measure(threads, self.arguments.seconds / 2)["median_ms"]
            self.times.append(tried)
            if self.best is None or tried["median_ms"] < self.best["median_ms"]:
                stack.pop_all()
                self.close()
                self.side, self.best = side, tried

    def close(self):
        if self.side is not None:
            self.side.close()


def head_options(arguments, facts):
    return [option for name in facts["head"] for option in ("--train", name)
            if arguments.head_only]


def first_steps(arguments, name, folder, options):
    """Seconds from the start of a process to the end of its first step, of both."""
    artifacts = make_artifacts(arguments, name, folder, options)
    os.remove(f"{artifacts}/eval_model.onnx")  # `temper step` would also evaluate
    command = [arguments.temper, "step", artifacts, "--feeds", f"{folder}/{name}.npz"]
    seconds = {"torch": [], "temper": []}
    for _ in range(min(FIRST_STEPS, arguments.rounds)):
        side = torch_side(arguments, name, "eager", os.cpu_count())
        side.close()
        seconds["torch"].append(side.first_s)
        seconds["temper"].append(cost_of(command, f"Temper's first step of {name}")["wall_s"])
    return {f"{key}_first_s": statistics.median(values) for key, values in seconds.items()}


def roofline_share(figures):
    """Returns: the median, or None if the program is too old to print shares."""
    shares = [turn["roofline"]["share"] for turn in figures if "roofline" in turn]
    return statistics.median(shares) if shares else None


def compare(arguments, name, folder):
    facts = facts_of(arguments, name)
    options = head_options(arguments, facts)
    temper, trial = training_side(arguments, name, folder, options), Trial(arguments, name)
    with contextlib.closing(trial):
        trial.run(facts["variants"])
        threads = {"torch": trial.best["threads"],
                   "temper": better_threads(temper, arguments.seconds / 2)}
        turns = take_turns({"torch": trial.side, "temper": temper}, threads, arguments)
    row = ratio_row(name, turns, threads, "torch", "temper")
    row.update(torch_variant=trial.best["variant"], torch_trial=trial.times)
    add_memory(row, turns, "torch", "temper")
    row["torch_imported_mb"] = trial.side.started["imported_rss_mb"]
    row.update(first_steps(arguments, name, folder, options))
    row["first_share"] = row["temper_first_s"] / row["torch_first_s"]
    row["roofline_share"] = roofline_share([turn["temper"] for turn in turns])
    return row


def compare_busy_core(arguments, name, folder):
    options = head_options(arguments, facts_of(arguments, name)) if arguments.head_only else []
    return busy_core.slow_down(arguments, name, training_side(arguments, name, folder, options))


def head():
    return ("Median ms a step (threads); peak MB; s from the start to the end of the first step; "
            "share of the roofline\n"
            f"{ratio_head('PyTorch', 'Temper')}{memory_head('PyTorch', 'Temper')}"
            f"{'imported':>10}{'PyTorch':>9}{'Temper':>8}{'share':>7}{'roofline':>10}  PyTorch is")


def row_text(row):
    share = row["roofline_share"]
    return (f"{ratio_text(row, 'torch', 'temper')}{memory_text(row, 'torch', 'temper')}"
            f"{row['torch_imported_mb']:10.0f}"
            f"{row['torch_first_s']:9.2f}{row['temper_first_s']:8.2f}{row['first_share']:7.2f}"
            f"{'-' if share is None else f'{share:.2f}':>10}  {row['torch_variant']}")


def parse():
    parser = make_parser(__doc__, MODELS)
    parser.add_argument("--variants", type=lambda text: text.split(","),
                        help="those of PyTorch to try (default: all)")
    parser.add_argument("--head-only", action="store_true", help="train the last layer only")
    parser.add_argument("--busy-core", action="store_true",
                        help="Temper alone, on the idle machine and while one core is busy")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--tell", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.serve:
        return serve(arguments)
    if arguments.tell:
        return tell(arguments)
    if arguments.busy_core:
        print_table(arguments, busy_core.head(), compare_busy_core, busy_core.row_text)
    else:
        print_table(arguments, head(), compare, row_text)


if __name__ == "__main__":
    main()
