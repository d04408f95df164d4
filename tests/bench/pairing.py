# SPDX-License-Identifier: Apache-2.0
"""What the scripts that compare Temper with another engine share: turns, ratios, tables, options.

An engine on a model is a side: measure(threads, seconds) takes a turn and returns its figures, a
dictionary with the "median_ms" of a step or run. Sides take turns, so that what else the machine
does affects all of them, and ratios are those of adjacent turns.
"""
import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["mlp", "lenet", "resnet18", "mobilenetv2", "encoder", "lstm", "autoencoder"]
FEWEST_REPETITIONS = 5


def load_baseline(path):
    spec = importlib.util.spec_from_file_location("torch_baseline", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def loss_of(name):
    return "mse" if name == "autoencoder" else "cross-entropy"


def ending(code):
    """How a process ended, in words."""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def output_of(command, doing):
    """Runs a command. Returns: what it prints. If it fails, the script ends and says where."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit(f"{doing} failed: {error}")
    if done.returncode != 0:
        sys.exit(f"{doing} failed ({ending(done.returncode)}); its message, if any, is above.")
    return done.stdout


@contextlib.contextmanager
def process_in_block(command, **options):
    """A process that ends with the block, whatever happens in it."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()  # closes its pipes, too


class CommandSide:
    """An engine that restarts for each turn and repeats its work as often as time allows."""

    def __init__(self, doing, command, repetitions, figures_of=lambda answer: answer):
        """repetitions: the option for their number; figures_of: makes figures from the answer."""
        self.doing, self.command, self.repetitions = doing, command, repetitions
        self.figures_of = figures_of
        self.count = FEWEST_REPETITIONS

    def measure(self, threads, seconds):
        command = [*self.command, "--threads", str(threads), self.repetitions, str(self.count)]
        figures = self.figures_of(json.loads(output_of(command, self.doing)))
        self.count = max(FEWEST_REPETITIONS, int(seconds * 1e3 / figures["median_ms"]))
        return figures


def better_threads(side, seconds):
    """Returns: the faster number of threads. The first, short turn only finds the speed."""
    side.measure(1, seconds / 4)
    times = {n: side.measure(n, seconds)["median_ms"] for n in sorted({1, os.cpu_count()})}
    return min(times, key=times.get)


def take_turns(sides, threads, arguments):
    """Returns: the figures of each side, by its key, for each round."""
    return [{key: side.measure(threads[key], arguments.seconds) for key, side in sides.items()}
            for _ in range(arguments.rounds)]


def turns_at_better_threads(sides, arguments):
    """Returns: the threads of each side, and the figures of its turns."""
    threads = {key: better_threads(side, arguments.seconds / 2) for key, side in sides.items()}
    return threads, take_turns(sides, threads, arguments)


def median_of(turns, key, figure="median_ms"):
    return statistics.median(turn[key][figure] for turn in turns)


def ratio_row(name, turns, threads, over, under):
    """How many times longer the side `over` takes than the side `under`, and the times of both."""
    ratios = sorted(turn[over]["median_ms"] / turn[under]["median_ms"] for turn in turns)
    row = {"model": name, "ratio": statistics.median(ratios), "ratio_min": ratios[0],
           "ratio_max": ratios[-1]}
    for key in (over, under):
        row[f"{key}_ms"] = median_of(turns, key)
        row[f"{key}_threads"] = threads[key]
    return row


def ratio_head(over, under):
    return f"{'model':12}{over:>14}{under:>14}{'ratio':>8}  {'min..max':10}"


def ratio_text(row, over, under):
    """A row under ratio_head()."""
    times = "".join(f"{row[key + '_ms']:10.2f} ({row[key + '_threads']})" for key in (over, under))
    limits = f"{row['ratio_min']:.2f}..{row['ratio_max']:.2f}"
    return f"{row['model']:12}{times}{row['ratio']:8.2f}  {limits:10}"


def export(arguments, names, folder):
    """Writes MODEL.onnx and MODEL.npz of each model into the folder."""
    command = [sys.executable, arguments.baseline, "--out", folder, "--models", ",".join(names),
               "--export-only"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}PyTorch could not export {', '.join(names)} "
                 f"({ending(done.returncode)}); see its message above.")


def known_models(text):
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown model '{unknown[0]}'; there are: {', '.join(MODELS)}")
    if not names:
        raise argparse.ArgumentTypeError("no model is named")
    return names


def positive(kind):
    def parse(text):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"'{text}' is not above 0")
        return value

    parse.__name__ = kind.__name__  # argparse's name for the type in its error message
    return parse


def make_parser(description, models):
    """The options of all comparisons."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=known_models, default=",".join(models))
    parser.add_argument("--rounds", type=positive(int), default=5)
    parser.add_argument("--seconds", type=positive(float), default=2, help="of a turn")
    parser.add_argument("--temper", default=str(ROOT / "build/release/bin/temper"))
    parser.add_argument("--baseline", default=str(ROOT / "tests/bench/torch_baseline.py"))
    parser.add_argument("--json", action="store_true", help="print one JSON object a model")
    return parser


def end_on_signals():
    """Ends the script by an exception, which ends its processes and removes its files."""
    def end(number, _):
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def print_table(arguments, head, compare, text_of):
    """Exports the models and prints what compare(arguments, name, folder) returns for each."""
    end_on_signals()
    with tempfile.TemporaryDirectory() as folder:
        export(arguments, arguments.models, folder)
        if not arguments.json:
            print(head, flush=True)
        for name in arguments.models:
            row = compare(arguments, name, folder)
            print(json.dumps(row) if arguments.json else text_of(row), flush=True)
