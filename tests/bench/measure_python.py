#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python module costs, each figure as a comparison of two sides in turns.

    tests/bench/measure_python.py [--rounds N] [--seconds S] [--threads T] [--package FOLDER]
                                  [--temper FILE] [--only import,step,counter] [--check] [--json]

import   processor time and wall time of `import numpy, temper`, less those of `import numpy`
step     a training step of a loop in Python with NumPy arrays (train_step, optimizer_step,
         reset_gradients) and of `temper bench`, the 10th percentile of a turn: the model mlp of
         torch_baseline.py, a perceptron of 784, 512, 256 and 10 units, batches of 64, AdamW
counter  how fast a thread counts in a loop of Python while another thread trains, as a share of
         its speed beside a process that keeps one core busy, and of its speed alone; it needs two
         cores

The figures of a round are those of adjacent turns: what else the machine does affects both; medians
are printed. With --check the script fails if three of four rounds are beyond a limit: importing may
take 80 ms of processor time more than NumPy, a step 5 % and 20 us more than in the program (neither
may be exceeded), and the counter keeps 90 % of its speed beside a busy process. Of steps, the
fastest turns of both sides have to be beyond it, too: a busy machine disturbs the side more that
has more in its caches.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from busy_core import busy_process
from pairing import ROOT, end_on_signals, ending, output_of, positive

MEASUREMENTS = ["import", "step", "counter"]
UNITS = [784, 512, 256, 10]
BATCH = 64
WARM_UP_STEPS = 20


def environment(package):
    paths = [package, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def three_quarters_above(values):
    return statistics.quantiles(values, n=4, method="inclusive")[0]


def three_quarters_below(values):
    return statistics.quantiles(values, n=4, method="inclusive")[2]


# ---- importing ----------------------------------------------------------------------------------


def import_seconds(statement, package):
    """Processor and wall time of a process that imports."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-c", statement], env=environment(package))
    wall = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"'{statement}' failed ({ending(done.returncode)}); its message is above.")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def measure_import(arguments, _):
    def turn():
        sides = [import_seconds(statement, arguments.package)
                 for statement in ("import numpy", "import numpy, temper")]
        return [(ours - theirs) * 1e3 for theirs, ours in zip(*sides)]

    turn()  # files come into the cache
    rounds = [turn() for _ in range(max(arguments.rounds, 5))]
    processor, wall = zip(*rounds)
    return {"import_processor_ms": statistics.median(processor),
            "import_wall_ms": statistics.median(wall),
            "import_processor_ms_at_least": three_quarters_above(processor)}


# ---- steps --------------------------------------------------------------------------------------


def perceptron(random):
    """The model as text of ONNX."""
    parameters, nodes, value = [], [], "x"
    for i, (inputs, outputs) in enumerate(zip(UNITS, UNITS[1:]), 1):
        numbers = random.normal(0, inputs ** -0.5, outputs * inputs).astype("float32")
        weights = ", ".join(map(repr, map(float, numbers)))
        zeros = ", ".join(["0"] * outputs)
        parameters.append(f'float[{outputs}, {inputs}] "fc{i}.weight" = {{{weights}}}')
        parameters.append(f'float[{outputs}] "fc{i}.bias" = {{{zeros}}}')
        is_last = i == len(UNITS) - 1
        result = "logits" if is_last else f"h{i}"
        nodes.append(f'{result} = Gemm<transB = 1>({value}, "fc{i}.weight", "fc{i}.bias")')
        value = result if is_last else f"a{i}"
        if not is_last:
            nodes.append(f"{value} = Relu({result})")
    newline = "\n"
    return (f'<ir_version: 8, opset_import: ["" : 17]> mlp (float[N, {UNITS[0]}] x) => '
            f"(float[N, {UNITS[-1]}] logits) <{', '.join(parameters)}> {{{newline.join(nodes)}}}")


def make_files(folder):
    """Artifacts and a batch, for both sides."""
    import numpy
    import temper

    random = numpy.random.default_rng(0)
    temper.artifacts(temper.from_text(perceptron(random)), os.path.join(folder, "artifacts"))
    batch = {"x": random.normal(size=(BATCH, UNITS[0])).astype(numpy.float32),
             "labels": random.integers(0, UNITS[-1], BATCH)}
    numpy.savez(os.path.join(folder, "batch.npz"), **batch)


def opened(folder, threads):
    """A session, and its batch."""
    import numpy
    import temper

    session = temper.Session(os.path.join(folder, "artifacts"), threads=threads)
    return session, dict(numpy.load(os.path.join(folder, "batch.npz")))


def step(session, batch):
    session.train_step(batch)
    session.optimizer_step()
    session.reset_gradients()


def serve_steps(folder, threads, count):
    """The worker process of Python's side: prints the times of its steps."""
    session, batch = opened(folder, threads)
    for _ in range(WARM_UP_STEPS):
        step(session, batch)
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        step(session, batch)
        times.append(time.perf_counter() - begin)
    print(json.dumps({"median_ms": statistics.median(times) * 1e3,
                      "p10_ms": statistics.quantiles(times, n=10)[0] * 1e3}))


def measure_step(arguments, folder):
    threads = str(arguments.threads)
    program = [arguments.temper, "bench", os.path.join(folder, "artifacts"), "--feeds",
               os.path.join(folder, "batch.npz"), "--json", "--threads", threads, "--steps"]
    python = [sys.executable, __file__, "--serve-steps", folder, "--package", arguments.package,
              "--threads", threads, "--count"]
    count = 200

    def turn(figure="p10_ms"):
        return [json.loads(output_of([*command, str(count)], doing))[figure]
                for command, doing in ((program, "temper bench"), (python, "the loop in Python"))]

    count = max(200, int(arguments.seconds * 1e3 / turn("median_ms")[0]))
    rounds = [turn() for _ in range(max(arguments.rounds, 2))]
    ratios = [ours / theirs for theirs, ours in rounds]
    more = [(ours - theirs) * 1e3 for theirs, ours in rounds]
    theirs, ours = map(min, zip(*rounds))  # the least disturbed turns
    return {"step_program_us": statistics.median(theirs for theirs, _ in rounds) * 1e3,
            "step_python_us": statistics.median(ours for _, ours in rounds) * 1e3,
            "step_ratio": statistics.median(ratios),
            "step_more_us": statistics.median(more),
            "step_ratio_at_least": min(three_quarters_above(ratios), ours / theirs),
            "step_more_us_at_least": min(three_quarters_above(more), (ours - theirs) * 1e3)}


# ---- counting -----------------------------------------------------------------------------------


def counts_per_second(seconds, work):
    """How fast a thread counts while this one repeats the work."""
    counted, done = [], threading.Event()

    def count():
        number, begin = 0, time.perf_counter()
        while not done.is_set():
            for _ in range(1000):
                number += 1
        counted.append(number / (time.perf_counter() - begin))

    thread = threading.Thread(target=count)
    thread.start()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        work(end)
    done.set()
    thread.join()
    return counted[0]


def serve_counter(folder, seconds, rounds):
    """The worker process of the counter: prints the shares of the rounds."""
    session, batch = opened(folder, 1)
    big = {name: array.repeat(64, axis=0) for name, array in batch.items()}  # tens of milliseconds
    step(session, big)

    def wait(end):
        time.sleep(max(0, end - time.perf_counter()))

    def turn():
        alone = counts_per_second(seconds, wait)
        with busy_process("the counter"):
            beside = counts_per_second(seconds, wait)
        training = counts_per_second(seconds, lambda _: step(session, big))
        return training / beside, training / alone

    print(json.dumps([turn() for _ in range(rounds)]))


def measure_counter(arguments, folder):
    command = [sys.executable, __file__, "--serve-counter", folder, "--package", arguments.package,
               "--seconds", str(arguments.seconds), "--rounds", str(max(arguments.rounds, 2))]
    beside, alone = zip(*json.loads(output_of(command, "the counter")))
    return {"counter_share": statistics.median(beside),
            "counter_share_of_alone": statistics.median(alone),
            "counter_share_at_most": three_quarters_below(beside)}


# ---- results ------------------------------------------------------------------------------------


def problems_of(figures):
    """What is beyond its limit in three of four rounds."""
    problems = []
    if figures.get("import_processor_ms_at_least", 0) > 80:
        problems.append("importing takes more than 80 ms of processor time")
    if figures.get("step_ratio_at_least", 0) > 1.05:
        problems.append("a step takes more than 5 % longer than in the program")
    if figures.get("step_more_us_at_least", 0) > 20:
        problems.append("a step takes more than 20 us longer than in the program")
    if figures.get("counter_share_at_most", 1) < 0.9:
        problems.append("a counting thread keeps less than 90 % of its speed")
    return problems


def print_figures(figures):
    lines = {
        "import": "import temper: {import_processor_ms:.1f} ms of processor time and "
                  "{import_wall_ms:.1f} ms more than NumPy",
        "step": "step: {step_python_us:.1f} us in Python, {step_program_us:.1f} us in temper bench, "
                "ratio {step_ratio:.3f}, {step_more_us:+.1f} us",
        "counter": "counter: while a session trains, {counter_share:.1%} of its speed beside a "
                   "busy process, {counter_share_of_alone:.1%} of its speed alone",
    }
    for name, line in lines.items():
        if any(key.startswith(name) for key in figures):
            print(line.format(**figures), flush=True)


def chosen(text):
    names = text.split(",")
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown measurement '{unknown[0]}'; there are: {', '.join(MEASUREMENTS)}")
    return names


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=positive(int), default=7)
    parser.add_argument("--seconds", type=positive(float), default=1, help="of a turn")
    parser.add_argument("--threads", type=positive(int), default=1, help="of training steps")
    parser.add_argument("--package", default=str(ROOT / "build/release/python"),
                        help="folder with the package temper")
    parser.add_argument("--temper", default=str(ROOT / "build/release/bin/temper"))
    parser.add_argument("--only", type=chosen, default=",".join(MEASUREMENTS))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve-steps", help=argparse.SUPPRESS)
    parser.add_argument("--serve-counter", help=argparse.SUPPRESS)
    parser.add_argument("--count", type=positive(int), default=100, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parsed()
    sys.path.insert(0, arguments.package)
    if arguments.serve_steps:
        return serve_steps(arguments.serve_steps, arguments.threads, arguments.count)
    if arguments.serve_counter:
        return serve_counter(arguments.serve_counter, arguments.seconds, arguments.rounds)
    end_on_signals()
    measure = {"import": measure_import, "step": measure_step, "counter": measure_counter}
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.only == ["import"]:
            make_files(folder)
        for name in arguments.only:
            found = measure[name](arguments, folder)
            figures.update(found)
            if not arguments.json:
                print_figures(found)
    if arguments.json:
        print(json.dumps(figures))
    if arguments.check and problems_of(figures):
        sys.exit("; ".join(problems_of(figures)))


if __name__ == "__main__":
    main()
