#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention in Temper and PyTorch's scaled_dot_product_attention, compared in one run.

    tests/bench/compare_attention.py [--tokens 512,4096] [--heads N] [--size N] [--rounds N]
                                     [--seconds S] [--temper FILE] [--opset N] [--json]

Forward and backward, plain and causal, batch 1, float32: y = attention(q + x, k, v), the mean of
(y - target)^2, and the gradients of q, k and v. Temper runs the file that PyTorch exports from it
(the exporter's default opset writes attention as products and a softmax). The engines take turns,
each in its own process, for --seconds each, on all cores; a round is one turn of both. The
ratio is the median over the rounds of (PyTorch's fastest / Temper's fastest) of that round: what
else the machine does affects both. Ratios above 1 mean that Temper is faster. Memory peaks are
those of the processes.

It needs PyPI's torch, onnx, onnxscript and numpy. Unset OPENBLAS_CORETYPE if it is set.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from pairing import (FEWEST_REPETITIONS, ROOT, CommandSide, end_on_signals, ending, positive,
                     process_in_block, ratio_head, ratio_row, ratio_text, take_turns)


def make_module(arguments, tokens, is_causal):
    import torch
    import torch.nn.functional as F

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            shape = (1, arguments.heads, tokens, arguments.size)
            for name in "qkv":
                setattr(self, name, torch.nn.Parameter(torch.randn(shape)))

        def forward(self, x):
            return F.scaled_dot_product_attention(self.q + x, self.k, self.v, is_causal=is_causal)

    return Attention(), torch.zeros(1), torch.randn(1, arguments.heads, tokens, arguments.size)


def export(arguments, tokens, is_causal, folder):
    """Writes model.onnx and feeds.npz."""
    import numpy as np
    import torch

    module, x, target = make_module(arguments, tokens, is_causal)
    torch.onnx.export(module, (x,), f"{folder}/model.onnx", dynamo=True, verbose=False,
                      opset_version=arguments.opset, input_names=["x"], output_names=["y"])
    np.savez(f"{folder}/feeds.npz", x=x.numpy(), target=target.numpy())


def serve(arguments):
    """The worker process: each line on stdin is a number of seconds, each answer the times."""
    import torch

    tokens, is_causal, folder = json.loads(arguments.serve)
    export(arguments, tokens, is_causal, folder)
    print("exported", flush=True)
    torch.set_num_threads(os.cpu_count())
    module, x, target = make_module(arguments, tokens, is_causal)

    def step():
        module.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(module(x), target).backward()

    for line in sys.stdin:
        step()
        milliseconds, end = [], time.perf_counter() + float(line)
        while time.perf_counter() < end or len(milliseconds) < FEWEST_REPETITIONS:
            start = time.perf_counter()
            step()
            milliseconds.append((time.perf_counter() - start) * 1e3)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        print(json.dumps({"median_ms": min(milliseconds), "peak_rss_mb": peak}), flush=True)


class TorchSide:
    """PyTorch: a process that waits for its turns."""

    def __init__(self, process):
        self.process = process

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"PyTorch's process ended ({ending(self.process.wait())}); its message, if "
                     "any, is above.")
        return line

    def measure(self, threads, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return json.loads(self.answer())


def fastest(answer):
    """Without the optimizer, which is not compared."""
    return {**answer, "median_ms": answer["p10_ms"] - answer["optimizer_ms"]}


def temper_side(arguments, folder):
    command = [arguments.temper, "bench", f"{folder}/model.onnx", "--feeds", f"{folder}/feeds.npz",
               "--json", "--loss", "mse", "--optimizer", "sgd", "--freeze", "val_*"]
    return CommandSide("Temper's attention", command, "--steps", fastest)


def compare(arguments, tokens, is_causal):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--serve", json.dumps([tokens, is_causal, folder]),
                   *[f"--{name}={getattr(arguments, name)}" for name in ("heads", "size", "opset")]]
        with process_in_block(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            torch = TorchSide(process)
            while torch.answer() != "exported\n":
                pass
            sides = {"torch": torch, "temper": temper_side(arguments, folder)}
            threads = dict.fromkeys(sides, os.cpu_count())
            turns = take_turns(sides, threads, arguments)
    name = f"{tokens} {'causal' if is_causal else 'plain'}"
    row = ratio_row(name, turns, threads, "torch", "temper")
    for key in sides:
        row[f"{key}_rss_mb"] = statistics.median(turn[key]["peak_rss_mb"] for turn in turns)
    return row


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", default="1024,4096", help="lengths, with commas")
    parser.add_argument("--heads", type=positive(int), default=8)
    parser.add_argument("--size", type=positive(int), default=64, help="of a head")
    parser.add_argument("--opset", type=positive(int), default=18)
    parser.add_argument("--rounds", type=positive(int), default=5)
    parser.add_argument("--seconds", type=positive(float), default=2, help="of a turn")
    parser.add_argument("--temper", default=str(ROOT / "build/release/bin/temper"))
    parser.add_argument("--json", action="store_true", help="print one JSON object a row")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.serve:
        return serve(arguments)
    end_on_signals()
    if not arguments.json:
        print(f"ms forward and backward (threads); peak MB\n{ratio_head('PyTorch', 'Temper')}"
              f"{'PyTorch':>9}{'Temper':>9}", flush=True)
    for tokens in map(int, arguments.tokens.split(",")):
        for is_causal in (False, True):
            row = compare(arguments, tokens, is_causal)
            print(json.dumps(row) if arguments.json else ratio_text(row, "torch", "temper") +
                  f"{row['torch_rss_mb']:9.0f}{row['temper_rss_mb']:9.0f}", flush=True)


if __name__ == "__main__":
    main()
