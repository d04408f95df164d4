#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention in Temper and PyTorch's scaled_dot_product_attention, compared in one run.

    tests/bench/compare_attention.py [--peers FOLDER] [--tokens 512,1024,...] [--heads N] [--size N]
                                     [--rounds N] [--seconds S] [--temper FILE] [--opset N] [--json]
                                     [--save FILE]

Plain and causal, batch 1, float32: 'forward' is y = attention(q + x, k, v) alone, 'training' is y,
the mean of (y - target)^2, and the gradients of q, k and v. Temper runs the file that PyTorch
exports from it (the exporter's default opset writes attention as products and a softmax). PyTorch
runs in the environment that --peers names (peers.txt lists its packages). The engines take turns,
each in its own process, for --seconds each, on all cores; a round is one turn of both. The ratio
is the median over the rounds of (PyTorch's fastest / Temper's fastest) of that round: what else the
machine does affects both. Ratios above 1 mean that Temper is faster. The memory is the peak of the
processes; 'imported' is that of PyTorch's when it has only been imported.
"""
import argparse
import json
import os
import tempfile

from pairing import (CommandSide, RunSide, ServedSide, add_memory, add_peers_option, find_speed,
                     memory_head, memory_text, output_of, parser_of, peak_megabytes,
                     peer_environment, positive, positives, print_rows, ratio_head, ratio_row,
                     ratio_text, serve_turns, take_turns)

TOKENS = [512, 1024, 2048, 4096, 8192]


# ---- PyTorch's processes ------------------------------------------------------------------------


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
    """Writes model.onnx, and the feeds of a run and of a step."""
    import numpy as np
    import torch

    module, x, target = make_module(arguments, tokens, is_causal)
    torch.onnx.export(module, (x,), f"{folder}/model.onnx", dynamo=True, verbose=False,
                      opset_version=arguments.opset, input_names=["x"], output_names=["y"])
    np.savez(f"{folder}/forward.npz", x=x.numpy())
    np.savez(f"{folder}/training.npz", x=x.numpy(), target=target.numpy())


def serve(arguments, tokens, is_causal, is_training):
    import torch

    started = {"imported_rss_mb": peak_megabytes()}
    torch.set_num_threads(os.cpu_count())
    module, x, target = make_module(arguments, tokens, is_causal)

    def forward():
        with torch.no_grad():
            module(x)

    def train():
        module.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(module(x), target).backward()

    serve_turns(train if is_training else forward, started, warm_up_steps=1, middle=min)


# ---- comparing ----------------------------------------------------------------------------------


def peer_command(arguments, task, *values):
    return [arguments.peers, __file__, "--task", json.dumps([task, *values]),
            *[f"--{name}={getattr(arguments, name)}" for name in ("heads", "size", "opset")]]


def temper_side(arguments, folder, is_training):
    if not is_training:
        return RunSide("Temper's attention", [arguments.temper, "run", f"{folder}/model.onnx",
                                              "--feeds", f"{folder}/forward.npz", "--json"],
                       "--bench", lambda answer: {"median_ms": answer["p10_ms"]})
    command = [arguments.temper, "bench", f"{folder}/model.onnx", "--feeds",
               f"{folder}/training.npz", "--json", "--loss", "mse", "--optimizer", "sgd",
               "--freeze", "val_*"]
    # Without the optimizer, which is not compared.
    return CommandSide("Temper's attention", command, "--steps", lambda answer: {
        **answer, "median_ms": answer["p10_ms"] - answer["optimizer_ms"]})


def compare(arguments, tokens, is_causal, is_training, folder):
    command = peer_command(arguments, "serve", tokens, is_causal, is_training)
    with ServedSide("PyTorch's attention", command) as torch:
        sides = {"torch": torch, "temper": temper_side(arguments, folder, is_training)}
        threads = dict.fromkeys(sides, os.cpu_count())
        find_speed(sides, threads, arguments)
        turns = take_turns(sides, threads, arguments)
        name = " ".join([str(tokens), "causal" if is_causal else "plain"])
        row = ratio_row(name, turns, threads, "torch", "temper")
        row["pass"] = "training" if is_training else "forward"
        row["torch_imported_mb"] = torch.started["imported_rss_mb"]
    add_memory(row, turns, "torch", "temper")
    return row


def rows_of(arguments):
    for tokens in arguments.tokens:
        for is_causal in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                output_of(peer_command(arguments, "export", tokens, is_causal, folder),
                          "PyTorch's export of attention", env=peer_environment())
                for is_training in (False, True):
                    yield compare(arguments, tokens, is_causal, is_training, folder)


def head():
    return (f"Fastest ms (threads); peak MB\n{'':10}{ratio_head('PyTorch', 'Temper')}"
            f"{memory_head('PyTorch', 'Temper')}{'imported':>10}")


def row_text(row):
    return (f"{row['pass']:10}{ratio_text(row, 'torch', 'temper')}"
            f"{memory_text(row, 'torch', 'temper')}{row['torch_imported_mb']:10.0f}")


def parse():
    parser = parser_of(__doc__)
    add_peers_option(parser)
    parser.add_argument("--tokens", type=positives, default=TOKENS, help="lengths, with commas")
    parser.add_argument("--heads", type=positive(int), default=8)
    parser.add_argument("--size", type=positive(int), default=64, help="of a head")
    parser.add_argument("--opset", type=positive(int), default=18)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.task:
        task, *values = json.loads(arguments.task)
        return {"export": export, "serve": serve}[task](arguments, *values)
    print_rows(arguments, head(), rows_of(arguments), row_text)


if __name__ == "__main__":
    main()
