#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to train on two processes, and what it would cost on many.

    tests/bench/rank_costs.py ART=DATA [ART=DATA...] [--batch-size N...] [--seconds S]
                              [--rounds N] [--temper FILE]

ART: a folder of artifacts; DATA: a data specification of samples for it; N: the size of the batches,
one for all models or one for each.

For each of them, two ranks of one thread and one process of two threads take turns, both with
batches in two slices, and train for about S seconds. Printed are steps per second, the bytes that
rank 0 sends in a step, the time of the exchange of gradients, and the share of it during which rank
0 computes. Then two ranks that compute nothing tell latency and bandwidth between them, and a table
follows for 8 to 1,024 ranks, each with the same work as one of the two. The formulas are in
docs/distributed.md.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

LINE = re.compile(r"ranks: rank 0 sends ([\d.]+) (\w+) in a step; exchanging gradients takes "
                  r"([\d.e+-]+) ms, of which (-?\d+) %")
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
BUCKET_BYTES = 4 * 2**20
RANKS = (8, 16, 32, 64, 128, 256, 512, 1024)


def train(arguments, model, options, steps):
    """Returns (median seconds of a step, output)."""
    artifacts, data, batch_size = model
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "run.jsonl")
        command = [arguments.temper, "train", artifacts, "--data", data, "--batch-size",
                   str(batch_size), "--slices", "2", "--steps", str(steps),
                   "--log", log, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        with open(log) as lines:
            events = [json.loads(line) for line in lines]
    times = [event["time"] for event in events if event["event"] == "step"]
    return statistics.median(b - a for a, b in zip(times, times[1:])), done.stdout


def exchange_of(output):
    """Bytes that rank 0 sends in a step, seconds of the exchange, hidden share of it."""
    number, unit, milliseconds, hidden = LINE.search(output).groups()
    return float(number) * UNITS[unit], float(milliseconds) / 1000, int(hidden) / 100


def measure(arguments, model):
    """Medians over the rounds: seconds of a step alone and shared, bytes, seconds, share."""
    step, _ = train(arguments, model, ["--threads", "2"], 4)
    steps = max(10, int(arguments.seconds / step))
    rounds = []
    for _ in range(arguments.rounds):
        alone, _ = train(arguments, model, ["--threads", "2"], steps)
        shared, output = train(arguments, model, ["--ranks", "2", "--threads", "1"], steps)
        rounds.append((alone, shared, *exchange_of(output)))
    return [statistics.median(column) for column in zip(*rounds)]


def buckets_of(sent):
    return max(1, round(sent / BUCKET_BYTES))


def link_between(arguments):
    """Seconds that a message costs besides its bytes, and bytes a second, between two ranks that
    do nothing else: they add up buckets of several sizes, for which each sends two messages."""
    folder = os.path.dirname(os.path.dirname(os.path.realpath(arguments.temper)))
    command = ["mpirun", "-np", "2", os.path.join(folder, "tests", "temper_rank_exchange"),
               os.path.join(folder, "lib", "temper", "mpi.so")]
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(done.stderr)
    rows = [line.split() for line in done.stdout.splitlines()]
    seconds = {int(size): float(time) for size, time in rows}
    smallest, largest = min(seconds), max(seconds)
    return (seconds[smallest] / 2,
            (largest - smallest) / (seconds[largest] - seconds[smallest]))


def exchange_on(ranks, sent, latency, bandwidth):
    """Seconds: each of the buckets is cut into a shard for each rank, which goes to its owner, and
    back to all."""
    return 2 * (ranks - 1) * (buckets_of(sent) * latency + sent / (ranks * bandwidth))


def visible_of(exchange, sent, hidden):
    """Seconds of an exchange that a backward pass does not hide if it computes for `hidden` seconds
    after its first bucket: at least those of the last bucket."""
    return max(exchange - hidden, exchange / buckets_of(sent))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="ART=DATA")
    parser.add_argument("--batch-size", type=int, nargs="+", default=[32])
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--temper", default="build/release/bin/temper")
    arguments = parser.parse_args()
    sizes = arguments.batch_size
    if len(sizes) == 1:
        sizes = sizes * len(arguments.models)
    if len(sizes) != len(arguments.models):
        parser.error(f"{len(sizes)} batch sizes for {len(arguments.models)} models; expected one "
                     "for all or one for each")
    models = [(*model.split("=", 1), size) for model, size in zip(arguments.models, sizes)]

    measured = []
    for model in models:
        measured.append(measure(arguments, model))
        alone, shared, sent, seconds, hidden = measured[-1]
        print(f"{model[0]}: one process {1 / alone:.2f} steps/s, two ranks {1 / shared:.2f} "
              f"(ratio {alone / shared:.2f}); rank 0 sends {sent / 2**20:.2f} MiB a step in "
              f"{1000 * seconds:.2f} ms, {100 * hidden:.0f} % hidden", flush=True)
    latency, bandwidth = link_between(arguments)
    print(f"\nlatency of a message {1e6 * latency:.0f} us, bandwidth {bandwidth / 2**20:.0f} MiB/s"
          "\n\nmilliseconds of a step, of which the exchange, by ranks")
    for model, (_, shared, sent, seconds, hidden) in zip(models, measured):
        compute = shared - (1 - hidden) * seconds
        cells = []
        for ranks in RANKS:
            exchange = exchange_on(ranks, sent, latency, bandwidth)
            step = compute + visible_of(exchange, sent, hidden * seconds)
            cells.append(f"{ranks}: {1000 * step:.1f} ({1000 * exchange:.1f})")
        print(f"{model[0]}: " + ", ".join(cells))


if __name__ == "__main__":
    main()
