# SPDX-License-Identifier: Apache-2.0
"""What the scripts that measure Temper share: turns, ratios, processes, tables, options.

An engine on a model is a side: measure(threads, seconds) takes a turn and returns its figures, a
dictionary with the "median_ms" of a step or run. Sides take turns, so that what else the machine
does affects all of them, and ratios are those of adjacent turns.

Peers, the engines that Temper is compared with, run in the Python of their own environment. This
module and the scripts need the standard library only, which also keeps small what a child's memory
peak begins with: the memory of the process that starts it.
"""
import argparse
import contextlib
import json
import os
import pathlib
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["mlp", "lenet", "resnet18", "mobilenetv2", "encoder", "lstm", "autoencoder", "gpt", "vit",
          "efficientnet", "unet", "keywords", "tabular"]
PEERS = ["torch", "onnxruntime"]
FEWEST_REPETITIONS = 5
EVERY_CORE = 0  # Temper's default number of threads
WEIGHT_DECAY = 0.01  # as in torch_baseline.py
ADAMW = ["--optimizer", "adamw-torch", "--weight-decay", str(WEIGHT_DECAY)]

# ---- processes ----------------------------------------------------------------------------------


class SideFailed(SystemExit):
    """Ends the script with its message, unless the script does without that side."""


def ending(code):
    """How a process ended, in words."""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def failure(doing, code):
    return SideFailed(f"{doing} failed ({ending(code)}); its message, if any, is above.")


def peer_environment():
    """Without the setting for Debian's OpenBLAS that makes the one of PyPI's packages slow."""
    return {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}


@contextlib.contextmanager
def errors_if_failed():
    """A file for what a command writes to stderr, which is shown only if the block fails."""
    with tempfile.TemporaryFile("w+") as errors:
        try:
            yield errors
        except SideFailed:
            errors.seek(0)
            sys.stderr.write(errors.read())
            raise


def output_of(command, doing, **options):
    """Runs a command. Returns: what it prints. If it fails, the script ends and says where."""
    with errors_if_failed() as errors:
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                                  **options)
        except OSError as error:
            raise SideFailed(f"{doing} failed: {error}") from error
        if done.returncode != 0:
            raise failure(doing, done.returncode)
    return done.stdout


def cost_of(command, doing):
    """Runs a command. Returns: seconds from start to end, processor time, peak memory."""
    begin = time.perf_counter()
    with (errors_if_failed() as errors,
          process_in_block(command, stdout=subprocess.DEVNULL, stderr=errors) as process):
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise failure(doing, process.returncode)
    return {"wall_s": seconds, "processor_s": usage.ru_utime + usage.ru_stime,
            "peak_rss_mb": megabytes_of(usage)}


def megabytes_of(usage):
    return usage.ru_maxrss * 1024 / 1e6


def peak_megabytes():
    return megabytes_of(resource.getrusage(resource.RUSAGE_SELF))


def stop(process):
    process.kill()
    process.communicate()  # closes its pipes, too


@contextlib.contextmanager
def process_in_block(command, **options):
    """A process that ends with the block, whatever happens in it."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        stop(process)


def end_on_signals():
    """Ends the script by an exception, which ends its processes and removes its files."""
    def end(number, _):
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


# ---- sides --------------------------------------------------------------------------------------


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


class RunSide(CommandSide):
    """`temper run`, whose memory another run tells."""

    def measure(self, threads, seconds):
        figures = super().measure(threads, seconds)
        command = [*self.command, "--threads", str(threads), self.repetitions, "1"]
        return {**figures, "peak_rss_mb": cost_of(command, self.doing)["peak_rss_mb"]}


class ServedSide:
    """A peer whose process, which runs serve_turns(), waits for its turns."""

    def __init__(self, doing, command):
        self.doing = doing
        begin = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=peer_environment())
        try:
            self.started = self.answer()
        except BaseException:
            self.close()
            raise
        self.first_s = time.perf_counter() - begin  # from the start of the process

    def answer(self):
        line = self.process.stdout.readline()
        while line and not line.startswith("{"):  # what libraries print
            line = self.process.stdout.readline()
        if not line:
            raise failure(self.doing, self.process.wait())
        return json.loads(line)

    def measure(self, threads, seconds):
        """threads: those that it was started with."""
        try:
            self.process.stdin.write(f"{seconds}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() says how it ended
        return self.answer()

    def close(self):
        stop(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def timed(step, seconds):
    """Repeats a step. Returns: the milliseconds of each."""
    milliseconds, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(milliseconds) < FEWEST_REPETITIONS:
        start = time.perf_counter()
        step()
        milliseconds.append((time.perf_counter() - start) * 1e3)
    return milliseconds


def serve_turns(step, started, warm_up_steps=3, middle=statistics.median):
    """The process of a ServedSide: answers `started` after its first step, and then the figures of
    a turn for each number of seconds on stdin."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the process that ends this one
    step()
    print(json.dumps(started), flush=True)
    for line in sys.stdin:
        for _ in range(warm_up_steps):
            step()
        print(json.dumps({"median_ms": middle(timed(step, float(line))),
                          "peak_rss_mb": peak_megabytes()}), flush=True)


# ---- turns and ratios ---------------------------------------------------------------------------


def thread_counts():
    return sorted({1, os.cpu_count()})


def better_threads(side, seconds):
    """Returns: the faster number of threads. The first, short turn only finds the speed."""
    side.measure(1, seconds / 4)
    times = {n: side.measure(n, seconds)["median_ms"] for n in thread_counts()}
    return min(times, key=times.get)


def take_turns(sides, threads, arguments):
    """Returns: the figures of each side, by its key, for each round."""
    return [{key: side.measure(threads[key], arguments.seconds) for key, side in sides.items()}
            for _ in range(arguments.rounds)]


def find_speed(sides, threads, arguments):
    """A short turn of each side, after which it knows how often to repeat its work."""
    for key, side in sides.items():
        side.measure(threads[key], arguments.seconds / 4)


def median_of(turns, key, figure="median_ms"):
    return statistics.median(turn[key][figure] for turn in turns)


def ratio_row(name, turns, threads, over, under):
    """How many times longer the side `over` takes than the side `under`, and the times of both."""
    ratios = sorted(turn[over]["median_ms"] / turn[under]["median_ms"] for turn in turns)
    row = {"model": name, "ratio": statistics.median(ratios), "ratio_min": ratios[0],
           "ratio_max": ratios[-1], "rounds": len(turns)}
    for key in (over, under):
        row[f"{key}_ms"] = median_of(turns, key)
        row[f"{key}_threads"] = threads[key]
    return row


def add_memory(row, turns, over, under):
    """The highest memory peaks of both sides, and the share of `under` in that of `over`."""
    for key in (over, under):
        row[f"{key}_rss_mb"] = max(turn[key]["peak_rss_mb"] for turn in turns)
    row["memory_share"] = row[f"{under}_rss_mb"] / row[f"{over}_rss_mb"]


def ratio_head(over, under):
    return f"{'model':16}{over:>14}{under:>14}{'ratio':>8}  {'min..max':10}"


def ratio_text(row, over, under):
    """A row under ratio_head()."""
    times = "".join(f"{row[key + '_ms']:10.2f} ({row[key + '_threads']})" for key in (over, under))
    limits = f"{row['ratio_min']:.2f}..{row['ratio_max']:.2f}"
    return f"{row['model']:16}{times}{row['ratio']:8.2f}  {limits:10}"


def memory_head(over, under):
    return f"{over:>9}{under:>9}{'share':>7}"


def memory_text(row, over, under):
    """What add_memory() added, under memory_head()."""
    return (f"{row[over + '_rss_mb']:9.0f}{row[under + '_rss_mb']:9.0f}"
            f"{row['memory_share']:7.2f}")


# ---- models -------------------------------------------------------------------------------------


def load_baseline(path):
    """For a peer's process: the module needs PyTorch."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("torch_baseline", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def loss_of(name):
    return "mse" if name == "autoencoder" else "cross-entropy"


def export(arguments, names, folder):
    """Writes MODEL.onnx and MODEL.npz of each model into the folder."""
    output_of([arguments.peers, arguments.baseline, "--out", folder, "--models", ",".join(names),
               "--export-only"], f"PyTorch's export of {', '.join(names)}", env=peer_environment())


def make_artifacts(arguments, name, folder, options=()):
    """Returns: the folder of the training artifacts of a model that was exported."""
    artifacts = f"{folder}/{name}-artifacts"
    output_of([arguments.temper, "artifacts", f"{folder}/{name}.onnx", "--out", artifacts, "--loss",
               loss_of(name), *ADAMW, *options], f"Temper's making artifacts of {name}")
    return artifacts


def export_for_inference(arguments, name, folder):
    """Returns: the inference model that Temper makes from a forward model, and its inputs."""
    model = f"{folder}/{name}-inference.onnx"
    output_of([arguments.temper, "export", make_artifacts(arguments, name, folder), "--out", model,
               "--outputs", "output"], f"Temper's export of {name}")
    return model, inputs_only(f"{folder}/{name}")


def inputs_only(model):
    """Returns: a copy of MODEL.npz without what only the loss reads, which inference would refuse.
    """
    path = f"{model}-inputs.npz"
    with zipfile.ZipFile(f"{model}.npz") as feeds, zipfile.ZipFile(path, "w") as inputs:
        for entry in feeds.namelist():
            if entry.startswith("input_"):
                inputs.writestr(entry, feeds.read(entry))
    return path


def bench_command(arguments, name, folder, options=()):
    """`temper bench` of a model that was exported; it has its own warm-up."""
    return [arguments.temper, "bench", f"{folder}/{name}.onnx", "--feeds", f"{folder}/{name}.npz",
            "--json", "--loss", loss_of(name), *ADAMW, *options]


def training_side(arguments, name, folder, options=()):
    return CommandSide(f"Temper's training of {name}",
                       bench_command(arguments, name, folder, options), "--steps")


def inference_side(arguments, name, model, inputs, options=()):
    return RunSide(f"Temper's inference of {name}",
                   [arguments.temper, "run", model, "--feeds", inputs, "--json", *options],
                   "--bench")


# ---- options ------------------------------------------------------------------------------------


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


def positives(text):
    """Numbers with commas."""
    return [positive(int)(number) for number in text.split(",")]


def python_of(folder):
    """The Python of an environment."""
    python = pathlib.Path(folder) / "bin/python"
    if not python.exists():
        raise argparse.ArgumentTypeError(
            f"there is no {python}; to make an environment: python3 -m venv {folder} && "
            f"{folder}/bin/pip install -r {ROOT / 'tests/bench/peers.txt'}")
    return python


def add_peers_option(parser):
    parser.add_argument("--peers", metavar="FOLDER", type=python_of,
                        default=pathlib.Path(sys.executable),
                        help="the environment of PyTorch and ONNX Runtime, made from peers.txt "
                             "(default: that of this Python)")


def parser_of(description):
    """The options of all measurements."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=positive(int), default=5)
    parser.add_argument("--seconds", type=positive(float), default=2, help="of a turn")
    parser.add_argument("--temper", metavar="FILE", default=str(ROOT / "build/release/bin/temper"))
    parser.add_argument("--json", action="store_true",
                        help="print JSON: one object for the machine, then one for each row")
    parser.add_argument("--save", metavar="FILE", help="also write machine and rows as JSON")
    return parser


def make_parser(description, models):
    """The options of the measurements of torch_baseline.py's models."""
    parser = parser_of(description)
    add_peers_option(parser)
    parser.add_argument("--models", type=known_models, default=",".join(models))
    parser.add_argument("--baseline", metavar="FILE",
                        default=str(ROOT / "tests/bench/torch_baseline.py"))
    return parser


# ---- machine and tables -------------------------------------------------------------------------


def cpu_info():
    """The first processor's lines of /proc/cpuinfo."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}


def processor():
    """Name, cores, and the instructions that kernels may use."""
    info = cpu_info()
    family = [f"{key} {info[key]}" for key in ("cpu family", "model") if key in info]
    name = info.get("model name", os.uname().machine)
    vector = ("sse4_", "avx", "fma", "f16c", "amx", "asimd", "sve", "bf16", "i8mm")
    flags = info.get("flags", info.get("Features", "")).split()
    return {"name": ", ".join([name, *family]), "cores": os.cpu_count(),
            "flags": sorted(flag for flag in flags if flag.startswith(vector))}


def peer_versions(arguments):
    code = ("import importlib.metadata as m, json, sys\n"
            "names = {d.metadata['Name'] for d in m.distributions()}\n"
            "print(json.dumps({n: m.version(n) for n in sys.argv[1:] if n in names}))")
    return json.loads(output_of([arguments.peers, "-c", code, *PEERS], "Asking for the versions"))


def machine_of(arguments):
    version = output_of([arguments.temper, "--version"], "Asking Temper for its version")
    engines = {"temper": version.split()[1]}
    if hasattr(arguments, "peers"):
        engines.update(peer_versions(arguments))
    # Both limit what oneDNN and Temper use of the processor.
    limits = {key: os.environ[key] for key in ("TEMPER_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA")
              if key in os.environ}
    return {"processor": processor(), "limits": limits, "engines": engines}


def machine_text(machine):
    cpu = machine["processor"]
    limits = "".join(f"; {key}={value}" for key, value in machine["limits"].items())
    engines = ", ".join(f"{name} {version}" for name, version in machine["engines"].items())
    return (f"{cpu['name']}; {cpu['cores']} cores; {' '.join(cpu['flags'])}{limits}\n{engines}")


def print_rows(arguments, head, rows, text_of):
    """Prints machine, head and rows as they come, and writes them where --save says."""
    end_on_signals()
    machine, done = machine_of(arguments), []
    print(json.dumps(machine) if arguments.json else f"{machine_text(machine)}\n{head}", flush=True)
    for row in rows:
        print(json.dumps(row) if arguments.json else text_of(row), flush=True)
        done.append(row)
        if arguments.save:  # after each row: an interrupted measurement keeps the others
            pathlib.Path(arguments.save).write_text(
                json.dumps({"machine": machine, "rows": done}, indent=1) + "\n")
    return done


def rows_of_models(arguments, compare):
    """Exports the models and yields their rows."""
    with tempfile.TemporaryDirectory() as folder:
        export(arguments, arguments.models, folder)
        for name in arguments.models:
            rows = compare(arguments, name, folder)
            yield from [rows] if isinstance(rows, dict) else rows


def print_table(arguments, head, compare, text_of):
    """As print_rows(). compare(arguments, name, folder) returns the row of a model, or yields its
    rows; the folder has its files."""
    return print_rows(arguments, head, rows_of_models(arguments, compare), text_of)
