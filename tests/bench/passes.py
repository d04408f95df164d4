#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each pass of the plan compiler gains in time and memory, by switching it off.

    tests/bench/passes.py [--peers FOLDER] [--models mlp,lenet,...] [--passes fuse-attention,...]
                          [--inference] [--rounds N] [--seconds S] [--temper FILE]
                          [--baseline torch_baseline.py] [--json] [--save FILE]

Trains torch_baseline.py's models, or with --inference runs what `temper export` makes of them.
With and without a pass take turns, each in its own process on all cores, for --seconds each; a
round is one turn of both. The gain is the median over the rounds of (median step without the pass /
median step with it) of that round, and the same for the peak memory. Above 1, the pass helps.

A pass is not measured if the plan of a model's step stays as it is without it: the same operators,
operations, bytes and memory. PyTorch and ONNX, which export the models, are those of the
environment that --peers names.

A row is printed for each pass and model. At the end follow two Markdown tables, of time and memory:
a row for each pass, a column for each model where some pass matters. '-': the plan stays as it is.
Empty: within 2 % of 1, or the rounds disagree on whether the pass helps.
"""
import json
import math
import os
import re
import statistics

from pairing import (MODELS, bench_command, export_for_inference, find_speed,
                     inference_side, make_parser, output_of, print_table, ratio_head, ratio_row,
                     ratio_text, take_turns, training_side)

MATTERS = 0.02
PLAN = ("arena_mb", "activation_mb", "flops", "bytes")


def known_passes(arguments):
    """Those that the program's help lists."""
    command = "run" if arguments.inference else "bench"
    text = output_of([arguments.temper, command, "--help"], "Asking Temper for its passes")
    names = re.search(r"--without-pass .*?Names: ([a-z, \n-]*?)\s*(\n *-|\n\n|$)", text, re.DOTALL)
    return [name.strip() for name in names.group(1).split(",")]


def options_without(names):
    return [option for name in names for option in ("--without-pass", name)]


class Training:
    """Steps of a model, with and without passes."""

    def __init__(self, arguments, name, folder):
        self.place = (arguments, name, folder)

    def side(self, *without):
        return training_side(*self.place, options_without(without))

    def plan(self, *without):
        """What tells plans apart."""
        command = bench_command(*self.place, [*options_without(without), "--steps", "1"])
        figures = json.loads(output_of(command, "Temper's training"))
        return (sorted((op["op"], op["count"]) for op in figures["operators"]),
                [figures[key] for key in PLAN])


class Inference:
    """Runs of an exported model, with and without passes."""

    def __init__(self, arguments, name, folder):
        self.arguments, self.name = arguments, name
        self.model, self.inputs = export_for_inference(arguments, name, folder)

    def side(self, *without):
        return inference_side(self.arguments, self.name, self.model, self.inputs,
                              options_without(without))

    def plan(self, *without):
        return without  # `temper run` tells nothing about its plan


def compare(arguments, name, folder):
    work = (Inference if arguments.inference else Training)(arguments, name, folder)
    usual = work.plan()
    for without in arguments.passes:
        is_used = work.plan(without) != usual
        yield (measure(arguments, work, name, without) if is_used else
               {"model": name, "pass": without, "ratio": None, "memory_ratio": None})


def measure(arguments, work, name, without):
    sides = {"without": work.side(without), "with": work.side()}
    threads = dict.fromkeys(sides, os.cpu_count())
    find_speed(sides, threads, arguments)
    turns = take_turns(sides, threads, arguments)
    return {**ratio_row(name, turns, threads, "without", "with"), "pass": without,
            "memory_ratio": statistics.median(
                turn["without"]["peak_rss_mb"] / turn["with"]["peak_rss_mb"] for turn in turns)}


def row_text(row):
    if row["ratio"] is None:
        return f"{row['pass']:20}{row['model']:16} the plan stays as it is"
    return f"{row['pass']:20}{ratio_text(row, 'without', 'with')}{row['memory_ratio']:8.2f}"


# ---- the tables ---------------------------------------------------------------------------------


def ratio_of(row, key):
    """1 if the rounds disagree."""
    if key == "ratio" and row[key] is not None and row["ratio_min"] < 1 < row["ratio_max"]:
        return 1.0
    return row[key]


def matters(ratio):
    return ratio is not None and abs(ratio - 1) > MATTERS


def cell(ratio):
    if ratio is None:
        return "-"
    return f"{ratio:.2f}" if matters(ratio) else ""


def mean(ratios):
    """The geometric one, of all models; those whose plan stays as it is count 1."""
    return math.exp(statistics.fmean(math.log(ratio or 1) for ratio in ratios))


def table(arguments, rows, key):
    ratios = {(row["pass"], row["model"]): ratio_of(row, key) for row in rows}
    models = [name for name in arguments.models
              if any(matters(ratios[one, name]) for one in arguments.passes)]
    lines = [f"| pass | {' | '.join([*models, 'mean of all'])} |", "|" + "---|" * (len(models) + 2)]
    for one in arguments.passes:
        cells = [cell(ratios[one, name]) for name in models]
        all_models = mean(ratios[one, name] for name in arguments.models)
        lines.append(f"| `{one}` | {' | '.join([*cells, f'{all_models:.2f}'])} |")
    return "\n".join(lines)


def main():
    parser = make_parser(__doc__, MODELS)
    parser.set_defaults(rounds=3)
    parser.add_argument("--passes", type=lambda text: text.split(","), help="(default: all)")
    parser.add_argument("--inference", action="store_true", help="of exported models")
    arguments = parser.parse_args()
    passes = known_passes(arguments)
    arguments.passes = arguments.passes or passes
    unknown = [name for name in arguments.passes if name not in passes]
    if unknown:
        parser.error(f"unknown pass '{unknown[0]}'; there are: {', '.join(passes)}")
    head = f"{'pass':20}{ratio_head('ms without', 'with')}{'memory':>8}"
    rows = print_table(arguments, head, compare, row_text)
    if not arguments.json:
        for title, key in (("Time", "ratio"), ("Peak memory", "memory_ratio")):
            print(f"\n{title} without the pass / with it\n\n{table(arguments, rows, key)}")


if __name__ == "__main__":
    main()
