#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of Temper and PyTorch on the same ONNX models and batches, compared in one run.

    tests/bench/compare_torch.py [--models mlp,lenet,...] [--rounds N] [--seconds S] [--head-only]
                                 [--temper FILE] [--baseline torch_baseline.py] [--json]

The engines take turns, each in a process of its own, for --seconds each; a round is one turn of
both. The first round tries one thread and all cores, and each engine goes on with what was faster.
The ratio is the median over the later rounds of (PyTorch's median step / Temper's median step) of
that round: what else the machine does hits both. Ratios above 1 say that Temper is faster.

A step is forward, loss, backward and AdamW. PyTorch's models come from torch_baseline.py, which
also exports them; it needs python3-torch, python3-torchvision, python3-onnx, python3-numpy and
libopenblas0-pthread.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["mlp", "lenet", "resnet18", "mobilenetv2", "encoder", "lstm", "autoencoder"]
SETTINGS = {"lr": 1e-3, "weight_decay": 0.01}
WARM_UP_STEPS = 3
FEWEST_STEPS = 5


def load_baseline(path):
    spec = importlib.util.spec_from_file_location("torch_baseline", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    import torch

    step = torch_step(load_baseline(arguments.baseline), arguments.serve, arguments.head_only)
    for line in sys.stdin:
        threads, seconds = line.split()
        torch.set_num_threads(int(threads))
        for _ in range(WARM_UP_STEPS):
            step()
        milliseconds, end = [], time.perf_counter() + float(seconds)
        while time.perf_counter() < end or len(milliseconds) < FEWEST_STEPS:
            start = time.perf_counter()
            step()
            milliseconds.append((time.perf_counter() - start) * 1e3)
        print(json.dumps({"median_ms": statistics.median(milliseconds),
                          "peak_rss_mb": peak_megabytes()}), flush=True)


class TorchSide:
    """PyTorch on one model: a process that waits for its turns."""

    def __init__(self, arguments, name):
        command = [sys.executable, __file__, "--serve", name, "--baseline", arguments.baseline]
        if arguments.head_only:
            command.append("--head-only")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def measure(self, threads, seconds):
        self.process.stdin.write(f"{threads} {seconds}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("PyTorch's process ended; see its message above.")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class TemperSide:
    """Temper on one model; `temper bench` warms up by itself."""

    def __init__(self, arguments, name, folder):
        self.command = [arguments.temper, "bench", f"{folder}/{name}.onnx", "--feeds",
                        f"{folder}/{name}.npz", "--json", "--optimizer", "adamw-torch",
                        "--weight-decay", str(SETTINGS["weight_decay"]),
                        "--loss", "mse" if name == "autoencoder" else "cross-entropy"]
        if arguments.head_only:
            model = load_baseline(arguments.baseline).catalogue()[name][0]()
            for parameter, _ in head_of(model):
                self.command += ["--train", parameter]
        self.steps = FEWEST_STEPS

    def measure(self, threads, seconds):
        command = self.command + ["--threads", str(threads), "--steps", str(self.steps)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        result = json.loads(done.stdout)
        self.steps = max(FEWEST_STEPS, int(seconds * 1e3 / result["median_ms"]))
        return result

    def close(self):
        pass


def better_threads(side, seconds):
    """What is faster, one thread or all cores. The first, short turn only finds the speed."""
    side.measure(1, seconds / 4)
    times = {n: side.measure(n, seconds)["median_ms"] for n in sorted({1, os.cpu_count()})}
    return min(times, key=times.get)


def compare(arguments, name, folder):
    sides = {"torch": TorchSide(arguments, name), "temper": TemperSide(arguments, name, folder)}
    threads = {key: better_threads(side, arguments.seconds / 2) for key, side in sides.items()}
    turns = [{key: side.measure(threads[key], arguments.seconds) for key, side in sides.items()}
             for _ in range(arguments.rounds)]
    for side in sides.values():
        side.close()
    ratios = sorted(turn["torch"]["median_ms"] / turn["temper"]["median_ms"] for turn in turns)
    row = {"model": name, "ratio": statistics.median(ratios), "ratio_min": ratios[0],
           "ratio_max": ratios[-1]}
    for key in sides:
        row[f"{key}_ms"] = statistics.median(turn[key]["median_ms"] for turn in turns)
        row[f"{key}_threads"] = threads[key]
        row[f"{key}_rss_mb"] = max(turn[key]["peak_rss_mb"] for turn in turns)
    row["memory_share"] = row["temper_rss_mb"] / row["torch_rss_mb"]
    return row


def export(arguments, names, folder):
    command = [sys.executable, arguments.baseline, "--out", folder, "--models", ",".join(names),
               "--export-only"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def print_row(row):
    print(f"{row['model']:12}{row['torch_ms']:10.2f} ({row['torch_threads']})"
          f"{row['temper_ms']:10.2f} ({row['temper_threads']})"
          f"{row['ratio']:8.2f}  {row['ratio_min']:.2f}..{row['ratio_max']:.2f}"
          f"{row['torch_rss_mb']:9.0f}{row['temper_rss_mb']:9.0f}{row['memory_share']:8.2f}",
          flush=True)


def print_head():
    print("Median ms a step (threads), PyTorch / Temper; peak MB, Temper / PyTorch")
    print(f"{'model':12}{'PyTorch':>14}{'Temper':>14}{'ratio':>8}  {'min..max':10}"
          f"{'PyTorch':>9}{'Temper':>9}{'share':>8}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of a turn")
    parser.add_argument("--head-only", action="store_true", help="train the last layer only")
    parser.add_argument("--temper", default=str(ROOT / "build/release/bin/temper"))
    parser.add_argument("--baseline", default=str(ROOT / "../shared/bench/torch_baseline.py"))
    parser.add_argument("--json", action="store_true", help="print one JSON object a model")
    parser.add_argument("--serve", metavar="MODEL", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.serve:
        return serve(arguments)
    names = [name for name in arguments.models.split(",") if name]
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        sys.exit(f"unknown model '{unknown[0]}'; there are: {', '.join(MODELS)}")
    with tempfile.TemporaryDirectory() as folder:
        export(arguments, names, folder)
        if not arguments.json:
            print_head()
        for name in names:
            row = compare(arguments, name, folder)
            print(json.dumps(row), flush=True) if arguments.json else print_row(row)


if __name__ == "__main__":
    main()
