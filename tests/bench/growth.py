#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How Temper's time and memory grow with batch, width, depth, tokens, nodes, parameters, samples.

    tests/bench/growth.py [--series batch,width,...] [--sizes N] [--rounds N] [--seconds S]
                          [--temper FILE] [--json] [--save FILE]

Makes models of growing sizes and prints a Markdown table for docs/performance.md. Measured are
steps (`temper bench`), and the whole programs `temper artifacts`, `temper step` (the first step,
its plan included) and `temper train` (an epoch). A time is the lowest of the rounds. Memory is the
peak of the program less that for a model of a few parameters.

An exponent is the slope of a line through the logarithms of all sizes; the one in brackets is that
of the two largest. 2 means: twice the size, four times as much. That of the work is the exponent of
the least time by the machine's peaks (the roofline) for steps; it is 1 for whole programs, whose
work is proportional to the size. Bold is what grows faster than its work, by more than 0.15 between
the two largest sizes.

The largest sizes, of parameters, take up to 12 GB of memory and 5 GB in the temporary folder.
"""
import argparse
import contextlib
import math
import os
import random
import statistics
import tempfile

from onnx_file import Model, floats, labels, write_npz
from pairing import EVERY_CORE, CommandSide, cost_of, parser_of, positive, print_rows

CLASSES = 8
FASTER = 0.15  # than the work, in the exponent

# ---- models -------------------------------------------------------------------------------------


def linear(model, x, inputs, outputs):
    scale = math.sqrt(3 / inputs)
    product = model.node("MatMul", [x, model.parameter([inputs, outputs], scale)])
    return model.node("Add", [product, model.parameter([outputs], scale)])


def save_classifier(model, folder, output, inputs, samples):
    """With a batch."""
    model.save(f"{folder}/model.onnx", output, ["N", CLASSES])
    write_npz(f"{folder}/feeds.npz", {"input": inputs, "labels": labels([samples], CLASSES)})


def perceptron(folder, batch=64, width=512, depth=3):
    """Layers with `width` units."""
    model = Model(["N", width])
    x = "input"
    for _ in range(depth):
        x = model.node("Relu", [linear(model, x, width, width)])
    save_classifier(model, folder, linear(model, x, width, CLASSES), floats([batch, width]), batch)


def images(folder, batch=8, width=32, depth=3):
    """Convolutions 3 x 3 with normalization, of pictures of 32 x 32."""
    model = Model(["N", 3, 32, 32])
    x, channels = "input", 3
    for _ in range(depth):
        weights = model.parameter([width, channels, 3, 3], math.sqrt(3 / (9 * channels)))
        x = model.node("Conv", [x, weights], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = model.node("Relu", [model.node("InstanceNormalization", [
            x, model.parameter([width], 1.0), model.parameter([width], 1.0)])])
        channels = width
    x = model.node("Flatten", [model.node("GlobalAveragePool", [x])])
    save_classifier(model, folder, linear(model, x, width, CLASSES), floats([batch, 3, 32, 32]),
                    batch)


class Transformer:
    """Pre-norm blocks of 4 heads."""

    def __init__(self, width):
        self.width, self.model = width, Model(["N", "T", width])

    def normalized(self, x):
        return self.model.node("LayerNormalization", [
            x, self.model.parameter([self.width], 1.0), self.model.parameter([self.width], 1.0)])

    def heads(self, x, order):
        shape = self.model.integers([0, 0, 4, self.width // 4])
        x = linear(self.model, x, self.width, self.width)
        return self.model.node("Transpose", [self.model.node("Reshape", [x, shape])], perm=order)

    def attention(self, x):
        node = self.model.node
        query, value = self.heads(x, [0, 2, 1, 3]), self.heads(x, [0, 2, 1, 3])
        scores = node("MatMul", [query, self.heads(x, [0, 2, 3, 1])])
        scale = self.model.parameter([1], 1 / math.sqrt(self.width / 4))
        y = node("MatMul", [node("Softmax", [node("Mul", [scores, scale])], axis=-1), value])
        y = node("Transpose", [y], perm=[0, 2, 1, 3])
        y = node("Reshape", [y, self.model.integers([0, 0, self.width])])
        return linear(self.model, y, self.width, self.width)

    def block(self, x):
        node = self.model.node
        x = node("Add", [x, self.attention(self.normalized(x))])
        inner = node("Relu", [linear(self.model, self.normalized(x), self.width, 4 * self.width)])
        return node("Add", [x, linear(self.model, inner, 4 * self.width, self.width)])


def transformer(folder, batch=1, width=256, depth=1, tokens=128):
    made = Transformer(width)
    x = "input"
    for _ in range(depth):
        x = made.block(x)
    mean = made.model.node("ReduceMean", [x], axes=[1], keepdims=0)
    save_classifier(made.model, folder, linear(made.model, mean, width, CLASSES),
                    floats([batch, tokens, width]), batch)


def deep(folder, nodes):
    """Layers of 8 units, as in scaling_test; each also reads the input of the one before it."""
    model, values = Model(["N", CLASSES]), ["input"]
    while model.count + 5 < nodes:
        product = model.node("MatMul", [values[-1], model.parameter([CLASSES, CLASSES], 0.2)])
        total = model.node("Add", [product, values[-min(2, len(values))]])
        values.append(model.node("Tanh", [
            model.node("Add", [total, model.parameter([CLASSES], 0.2)])]))
    save_classifier(model, folder, values[-1], floats([4, CLASSES]), 4)


def tangled(folder, nodes):
    """Layers that read the results of layers far before them, as in scaling_test."""
    model, values, generator = Model(["N", CLASSES]), ["input"], random.Random(1)
    while model.count + 4 < nodes:
        other = values[-min(generator.randrange(200) + 1, len(values))]
        values.append(tangled_layer(model, generator.randrange(4), values[-1], other))
    save_classifier(model, folder, values[-1], floats([4, CLASSES]), 4)


def tangled_layer(model, kind, x, other):
    if kind == 0:
        return model.node("MatMul", [x, model.parameter([CLASSES, CLASSES], 0.2)])
    if kind == 1:
        return model.node("Tanh", [model.node("Add", [x, other])])
    if kind == 2:
        return model.node("Sigmoid", [model.node("Mul", [x, other])])
    return model.node("Add", [x, model.parameter([CLASSES], 0.2)])


def parameters(folder, megabytes):
    """A perceptron of two square layers, so that its width grows with the root of the size."""
    perceptron(folder, batch=1, width=round(math.sqrt(megabytes * 2**20 / 4 / 2)), depth=2)


def samples(folder, count):
    perceptron(folder, batch=64, width=64)
    write_npz(f"{folder}/data.npz",
              {"input": floats([count, 64]), "labels": labels([count], CLASSES)})


# ---- measurements -------------------------------------------------------------------------------


class Step:
    """`temper bench`: milliseconds of a step."""

    name = "step"

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.side = CommandSide("Temper's training", [
            arguments.temper, "bench", f"{folder}/model.onnx", "--feeds", f"{folder}/feeds.npz",
            "--optimizer", "sgd", "--json"], "--steps")

    def turn(self):
        figures = self.side.measure(EVERY_CORE, self.arguments.seconds)
        return {"ms": figures["median_ms"], "peak_rss_mb": figures["peak_rss_mb"],
                "operators": [(op["flops"], op["bytes"]) for op in figures["operators"]],
                "peaks": (figures["roofline"]["gflops"], figures["roofline"]["gbytes"])}


class Program:
    """A whole program: milliseconds from start to end."""

    def __init__(self, arguments, folder):
        self.folder, self.command = folder, [arguments.temper, *self.options(folder)]

    def turn(self):
        cost = cost_of(self.command, f"Temper's {self.name}")
        return {"ms": cost["wall_s"] * 1e3, "peak_rss_mb": cost["peak_rss_mb"]}


class MakeArtifacts(Program):
    name = "artifacts"

    def options(self, folder):
        return ["artifacts", f"{folder}/model.onnx", "--out", f"{folder}/artifacts",
                "--optimizer", "sgd"]


class OnArtifacts(Program):
    def __init__(self, arguments, folder):
        super().__init__(arguments, folder)
        if not os.path.exists(f"{folder}/artifacts"):
            MakeArtifacts(arguments, folder).turn()


class FirstStep(OnArtifacts):
    name = "first step"

    def turn(self):
        with contextlib.suppress(FileNotFoundError):  # `temper step` would also evaluate
            os.remove(f"{self.folder}/artifacts/eval_model.onnx")
        return super().turn()

    def options(self, folder):
        return ["step", f"{folder}/artifacts", "--feeds", f"{folder}/feeds.npz"]


class Epoch(OnArtifacts):
    name = "epoch"

    def options(self, folder):
        return ["train", f"{folder}/artifacts", "--data", f"{folder}/data.npz", "--batch-size",
                "64", "--epochs", "1"]


class Series:
    """What grows. make(folder, **{key: size}) writes a model, its feeds and data."""

    def __init__(self, name, model, sizes, make, key, measurements=(Step,)):
        self.name, self.model, self.sizes = name, model, sizes
        self.make, self.key, self.measurements = make, key, measurements

    def write(self, folder, size):
        self.make(folder, **{self.key: size})


WHOLE = (MakeArtifacts, FirstStep, Step)
SERIES = [
    Series("batch", "perceptron", [16, 64, 256, 1024, 4096], perceptron, "batch"),
    Series("batch", "convolutions", [1, 4, 16, 64, 256], images, "batch"),
    Series("batch", "transformer", [1, 4, 16, 64], transformer, "batch"),
    Series("width", "perceptron", [128, 256, 512, 1024, 2048, 4096], perceptron, "width"),
    Series("width", "convolutions", [16, 32, 64, 128, 256], images, "width"),
    Series("width", "transformer", [64, 128, 256, 512, 1024], transformer, "width"),
    Series("depth", "perceptron", [4, 16, 64, 256], perceptron, "depth"),
    Series("depth", "convolutions", [4, 16, 64, 256], images, "depth"),
    Series("depth", "transformer", [1, 4, 16, 64], transformer, "depth"),
    Series("tokens", "transformer", [128, 512, 1024, 2048, 4096, 8192], transformer, "tokens"),
    Series("nodes", "deep", [1000, 3000, 10000, 30000, 100000], deep, "nodes", WHOLE),
    Series("nodes", "tangled", [1000, 3000, 10000, 30000, 100000], tangled, "nodes", WHOLE),
    Series("parameters, MiB", "two layers", [8, 32, 128, 512, 2000], parameters, "megabytes",
           WHOLE),
    Series("samples", "perceptron", [10000, 40000, 160000, 640000, 2560000], samples, "count",
           (Epoch,)),
]
NAMES = list(dict.fromkeys(series.name.split(",")[0] for series in SERIES))


def least_ms(turn, peaks):
    """The least time of a step by the machine's peaks, which are those of the whole series."""
    flops_per_ms, bytes_per_ms = peaks[0] * 1e6, peaks[1] * 1e6
    return sum(max(flops / flops_per_ms, moved / bytes_per_ms)
               for flops, moved in turn["operators"])


def turns_of(arguments, series, size):
    """Returns: the turns of each of the series' measurements."""
    with tempfile.TemporaryDirectory() as folder:
        series.write(folder, size)
        turns = {}
        for measurement in series.measurements:
            measured = measurement(arguments, folder)
            measured.turn()  # not counted: it warms caches, or finds the speed
            turns[measurement] = [measured.turn() for _ in range(arguments.rounds)]
        return turns


def exponent(sizes, values):
    """The slope of the line through the logarithms; None for a single size."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    return statistics.linear_regression(x, y).slope if len(x) > 1 else None


def works(sizes, turns, measurement):
    """A number for each size that grows as the work does."""
    if measurement is not Step:
        return sizes
    all_peaks = [turn["peaks"] for size in sizes for turn in turns[size]]
    peaks = [statistics.median(column) for column in zip(*all_peaks)]
    return [least_ms(turns[size][0], peaks) for size in sizes]


def row_of(series, sizes, turns, measurement, base):
    """turns: those of each size; base: MB of the program for a model of a few parameters."""
    megabytes = [max(turn["peak_rss_mb"] for turn in turns[size]) - base for size in sizes]
    row = {"grows": series.name, "model": series.model, "measured": measurement.name,
           "sizes": sizes, "ms": [min(turn["ms"] for turn in turns[size]) for size in sizes],
           "mb": [max(0.1, value) for value in megabytes],
           "work": works(sizes, turns, measurement)}
    for key in ("ms", "work", "mb"):
        row[f"{key}_exponent"] = exponent(sizes, row[key])
        row[f"{key}_exponent_at_end"] = exponent(sizes[-2:], row[key][-2:])
    return row


def rows_of_series(arguments, series, bases):
    sizes = series.sizes[:arguments.sizes]
    turns = {size: turns_of(arguments, series, size) for size in sizes}
    for measurement in series.measurements:
        of_measurement = {size: turns[size][measurement] for size in sizes}
        yield row_of(series, sizes, of_measurement, measurement, bases[measurement])


def bases_of(arguments):
    """Returns: MB of each program for a model of a few parameters."""
    tiny = Series("", "", [64], samples, "count", (*WHOLE, Epoch))
    return {measurement: min(turn["peak_rss_mb"] for turn in turns)
            for measurement, turns in turns_of(arguments, tiny, 64).items()}


def rows_of(arguments):
    bases = bases_of(arguments)
    for series in SERIES:
        if series.name.split(",")[0] in arguments.series:
            yield from rows_of_series(arguments, series, bases)


# ---- the table ----------------------------------------------------------------------------------


def number_text(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def list_text(values):
    return "; ".join(map(number_text, values))


def exponent_text(row, key):
    if row[f"{key}_exponent"] is None:
        return "-"
    text = f"{row[f'{key}_exponent']:.2f} ({row[f'{key}_exponent_at_end']:.2f})"
    grows_faster = (key != "work" and row[f"{key}_exponent_at_end"] >
                    row["work_exponent_at_end"] + FASTER)
    return f"**{text}**" if grows_faster else text


def head():
    return ("| grows | model | measured | sizes | ms | exponent | of the work | memory, MB | "
            "exponent |\n|" + "---|" * 9)


def row_text(row):
    return (f"| {row['grows']} | {row['model']} | {row['measured']} | {list_text(row['sizes'])} | "
            f"{list_text(row['ms'])} | {exponent_text(row, 'ms')} | {exponent_text(row, 'work')} | "
            f"{list_text(row['mb'])} | {exponent_text(row, 'mb')} |")


def known_series(text):
    names = text.split(",")
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown series '{unknown[0]}'; there are: {', '.join(NAMES)}")
    return names


def main():
    parser = parser_of(__doc__)
    parser.set_defaults(rounds=3, seconds=1)
    parser.add_argument("--series", type=known_series, default=",".join(NAMES))
    parser.add_argument("--sizes", type=positive(int), metavar="N",
                        help="only the N smallest of each series (default: all)")
    arguments = parser.parse_args()
    print_rows(arguments, head(), rows_of(arguments), row_text)


if __name__ == "__main__":
    main()
