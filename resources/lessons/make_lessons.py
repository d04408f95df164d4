#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of the bundled lessons: models, data, and the choices in lesson.json.

    make_lessons.py [NAME...]            writes the files of these lessons, or of all, beside this
    make_lessons.py --texts              writes lesson.json only, where texts or choices changed
    make_lessons.py --check [NAME...]    trains with PyTorch as lesson.json says, and prints what
                                         that reaches on the test samples

Needs Debian's python3-torch and python3-sklearn. The products are committed; on one version of
these packages, running the script again gives the same bytes. Titles and steps are in
lesson_texts.py; curve.csv is written by the tests (README.md).
"""

import argparse
import csv
import fnmatch
import io
import json
import math
import pathlib
import sys
import time
import zipfile

import numpy as np
import sklearn.datasets
import sklearn.model_selection
import torch
from torch import nn

from lesson_nets import BrokenNet, DigitsNet, ToneNet, TransferNet, export, perceptron
from lesson_texts import TEXTS

HERE = pathlib.Path(__file__).resolve().parent
SEED = 7


# ---- files -------------------------------------------------------------------------------------


def write_npz(path, **arrays):
    """np.savez_compressed with a fixed date, so that the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), version=(1, 0))
            info = zipfile.ZipInfo(name + ".npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, buffer.getvalue(), compresslevel=9)


def write_csv(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_lesson(name):
    lesson = LESSONS[name]
    texts = dict(TEXTS[name])
    content = {"name": name, **texts, "licence": lesson["licence"],
               "modelFile": f"lessons/{name}/model.onnx", "exportOutput": lesson["output"],
               "goal": lesson["goal"], "spec": lesson["spec"]}
    if "mended" in lesson:
        content["mended"] = lesson["mended"]
    with open(HERE / name / "lesson.json", "w") as file:
        json.dump(content, file, indent=2, ensure_ascii=False)
        file.write("\n")


def lesson_folder(name):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    return folder


def training_spec(name, data_suffix, *, data=None, options="", trainable=(), loss="cross-entropy",
                  optimizer="adamw", epochs, batch_size, lr, metrics=("accuracy",)):
    """The choices of a lesson in the form of TrainingSpec; what is left out keeps its default.

    data: the lesson whose samples it uses, where these are another's.
    """
    path = f"lesson:{data or name}/%s.{data_suffix}{options}"
    return {
        "model": f"lesson:{name}/model.onnx",
        "artifacts": {
            "trainable": list(trainable),
            "loss": {"key": loss, "values": {}},
            "optimizer": {"key": optimizer, "values": {}},
        },
        "run": {
            "data": path % "train",
            "eval_data": path % "test",
            "epochs": epochs,
            "batch_size": batch_size,
            "learning_rate": lr,
            "schedule": {"key": "constant", "values": {}},
            "seed": SEED,
            "metrics": list(metrics),
        },
    }


# ---- data --------------------------------------------------------------------------------------


def split(inputs, labels, test_fraction):
    """Training and test part with the classes in equal shares, each in the original order."""
    train, test = sklearn.model_selection.train_test_split(
        np.arange(len(labels)), test_size=test_fraction, stratify=labels, random_state=SEED)
    train.sort()
    test.sort()
    return (inputs[train], labels[train]), (inputs[test], labels[test])


def digits():
    """scikit-learn's copy of the test part of UCI's Optical Recognition of Handwritten Digits."""
    bunch = sklearn.datasets.load_digits()
    images = (bunch.images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    return split(images, bunch.target.astype(np.int64), 0.2)


def only(samples, first, last):
    """The samples of classes first..last, numbered from 0."""
    inputs, labels = samples
    chosen = (labels >= first) & (labels <= last)
    return inputs[chosen], labels[chosen] - first


def spiral(arm, count, generator, arms=3):
    """Points along one arm of a spiral, with a little noise across."""
    radius = np.linspace(0.1, 1, count)
    angle = 2 * math.pi * arm / arms + 4.5 * radius + generator.normal(0, 0.12, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


# ---- training, for the backbone and for --check --------------------------------------------------


def fit(model, samples, *, loss="cross-entropy", optimizer="adamw", epochs, batch_size, lr, clip=0):
    inputs, targets = (torch.from_numpy(array) for array in samples)
    chosen = [parameter for parameter in model.parameters() if parameter.requires_grad]
    steps = (torch.optim.AdamW(chosen, lr=lr, weight_decay=1e-2) if optimizer == "adamw" else
             torch.optim.SGD(chosen, lr=lr))
    generator = torch.Generator().manual_seed(SEED)
    for _ in range(epochs):
        for batch in torch.randperm(len(targets), generator=generator).split(batch_size):
            steps.zero_grad()
            LOSSES[loss](model(inputs[batch]), targets[batch]).backward()
            if clip > 0:
                nn.utils.clip_grad_norm_(chosen, clip)
            steps.step()


LOSSES = {
    "cross-entropy": nn.functional.cross_entropy,
    "mse": lambda output, target: nn.functional.mse_loss(output[:, 0], target),
    "bce-with-logits": lambda output, target: nn.functional.binary_cross_entropy_with_logits(
        output[:, 0], target),
}

METRICS = {
    "accuracy": lambda output, target: (
        (output.argmax(1) if output.shape[1] > 1 else output[:, 0] > 0) == target).double().mean(),
    "rmse": lambda output, target: ((output[:, 0] - target) ** 2).mean().sqrt(),
}


def measure(metric, model, samples):
    inputs, targets = (torch.from_numpy(array) for array in samples)
    with torch.no_grad():
        return METRICS[metric](model(inputs), targets).item()


# ---- lessons -----------------------------------------------------------------------------------

DIGITS_LICENCE = (
    "Digits: E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine "
    "Learning Repository, doi:10.24432/C50P49, CC BY 4.0, as distributed by scikit-learn; scaled "
    "to 0..1 and split.")
IRIS_LICENCE = (
    "R. A. Fisher, Iris, UCI Machine Learning Repository, doi:10.24432/C56C76, CC BY 4.0, as "
    "distributed by scikit-learn; split.")
OWN_LICENCE = "Generated by make_lessons.py; CC0 1.0."


def digits_model():
    torch.manual_seed(SEED)
    return DigitsNet(10)


def make_digits(folder):
    train, test = digits()
    write_npz(folder / "train.npz", input=train[0], labels=train[1])
    write_npz(folder / "test.npz", input=test[0], labels=test[1])
    export(digits_model(), (1, 8, 8), folder / "model.onnx")


def backbone_for_new_digits():
    """TransferNet after training on the digits 0 to 4, with a fresh head for five others."""
    train, _ = digits()
    torch.manual_seed(SEED)
    model = TransferNet(5)
    fit(model, only(train, 0, 4), epochs=20, batch_size=32, lr=2e-3)
    model.head = nn.Linear(512, 5)
    return model


def make_digits_transfer(folder):
    train, test = (only(part, 5, 9) for part in digits())
    write_npz(folder / "train.npz", input=train[0], labels=train[1])
    write_npz(folder / "test.npz", input=test[0], labels=test[1])
    export(backbone_for_new_digits(), (1, 8, 8), folder / "model.onnx")


def iris():
    bunch = sklearn.datasets.load_iris()
    return split(bunch.data.astype(np.float32), bunch.target.astype(np.int64), 0.2), bunch


def iris_rows(samples, names):
    return [[f"{value:.1f}" for value in row] + [names[label]] for row, label in zip(*samples)]


def small_model(*sizes, activation=nn.Tanh):
    torch.manual_seed(SEED)
    return perceptron(*sizes, activation=activation)


def iris_model():
    return small_model(4, 16, 3, activation=nn.ReLU)


def make_iris(folder):
    (train, test), bunch = iris()
    header = ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
    write_csv(folder / "train.csv", header, iris_rows(train, bunch.target_names))
    write_csv(folder / "test.csv", header, iris_rows(test, bunch.target_names))
    export(iris_model(), (4,), folder / "model.onnx")


ARMS = ["blue", "green", "red"]


def spirals(count, generator):
    points = np.concatenate([spiral(arm, count, generator) for arm in range(len(ARMS))])
    return points.round(4).astype(np.float32), np.repeat(np.arange(len(ARMS)), count)


def spiral_rows(samples):
    return [[f"{x:.4f}", f"{y:.4f}", ARMS[label]] for (x, y), label in zip(*samples)]


def spirals_model():
    return small_model(2, 32, 32, 3)


def make_spirals(folder):
    generator = np.random.default_rng(SEED)
    for part, count in [("train", 200), ("test", 60)]:
        write_csv(folder / f"{part}.csv", ["x", "y", "arm"], spiral_rows(spirals(count, generator)))
    export(spirals_model(), (2,), folder / "model.onnx")


def xor_rows(count, generator):
    """Points around the corners of a square, in turns; 1 where exactly one of both is large."""
    rows = []
    for i in range(count):
        a, b = i % 2, i // 2 % 2
        x, y = np.array([a, b]) + generator.normal(0, 0.1, 2)
        rows.append([f"{x:.3f}", f"{y:.3f}", a ^ b])
    return rows


def xor_model():
    return small_model(2, 4, 1)


def make_xor(folder):
    generator = np.random.default_rng(SEED)
    for part, count in [("train", 40), ("test", 20)]:
        write_csv(folder / f"{part}.csv", ["a", "b", "xor"], xor_rows(count, generator))
    export(xor_model(), (2,), folder / "model.onnx")


def sine_rows(count, generator):
    x = np.sort(generator.uniform(-2 * math.pi, 2 * math.pi, count))
    y = np.sin(x) + generator.normal(0, 0.1, count)
    return [[f"{a:.4f}", f"{b:.4f}"] for a, b in zip(x, y)]


def sine_model():
    return small_model(1, 32, 32, 1)


def make_sine(folder):
    generator = np.random.default_rng(SEED)
    for part, count in [("train", 200), ("test", 80)]:
        write_csv(folder / f"{part}.csv", ["x", "y"], sine_rows(count, generator))
    export(sine_model(), (1,), folder / "model.onnx", output="wave")


def broken_model():
    """Its statistics are those of the digits that it is trained on."""
    torch.manual_seed(SEED)
    model = BrokenNet()
    with torch.no_grad():
        model.norm.measure(model.hidden_values(torch.from_numpy(digits()[0][0])))
    return model


def make_broken(folder):
    export(broken_model(), (1, 8, 8), folder / "model.onnx")


SAMPLE_RATE = 4000
NOTES = [261.63, 329.63, 392.0, 523.25]  # C, E, G, C in hertz


def tones(count, generator):
    """Short sounds of the notes in turns; few digits, so that they compress well."""
    labels = np.arange(count) % len(NOTES)
    times = np.arange(128) / SAMPLE_RATE
    phases = generator.uniform(0, 2 * math.pi, (count, 1))
    loudness = generator.uniform(0.5, 1, (count, 1))
    waves = loudness * np.sin(2 * math.pi * np.array(NOTES)[labels][:, None] * times + phases)
    noisy = waves + generator.normal(0, 0.5, waves.shape)
    return (np.round(noisy * 32) / 32).astype(np.float32)[:, None, :], labels.astype(np.int64)


def tones_model():
    torch.manual_seed(SEED)
    return ToneNet(len(NOTES))


def make_tones(folder):
    generator = np.random.default_rng(SEED)
    for part, count in [("train", 320), ("test", 160)]:
        sounds, labels = tones(count, generator)
        write_npz(folder / f"{part}.npz", input=sounds, labels=labels)
    export(tones_model(), (1, 128), folder / "model.onnx")


def hill_rows(count, wrong, generator):
    """Points on and beside a round hill; `wrong` of them carry the other label."""
    points = generator.uniform(-1, 1, (count, 2)).round(3)
    labels = (np.hypot(*points.T) < 0.75).astype(int)
    labels[generator.choice(count, wrong, replace=False)] ^= 1
    return [[f"{x:.3f}", f"{y:.3f}", ["plain", "hill"][label]] for (x, y), label in
            zip(points, labels)]


def overfitting_model():
    return small_model(2, 128, 128, 2, activation=nn.ReLU)


def make_overfitting(folder):
    generator = np.random.default_rng(SEED)
    write_csv(folder / "train.csv", ["x", "y", "place"], hill_rows(40, 6, generator))
    write_csv(folder / "test.csv", ["x", "y", "place"], hill_rows(200, 0, generator))
    export(overfitting_model(), (2,), folder / "model.onnx")


def exploding_model():
    """Weights that make what passes a layer larger, forwards and backwards."""
    torch.manual_seed(9)
    model = perceptron(4, *[32] * 11, 3, activation=nn.ReLU)
    with torch.no_grad():
        for layer in model[::2]:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            layer.weight *= 1.2
            layer.bias.zero_()
    return model


def make_exploding(folder):
    export(exploding_model(), (4,), folder / "model.onnx")


def lesson(make, model, licence, spec, goal, output="logits", **more):
    return {"make": make, "model": model, "licence": licence, "spec": spec, "output": output,
            "goal": {"metric": goal[0], "value": goal[1]}, **more}


LESSONS = {
    "spirals": lesson(
        make_spirals, spirals_model, OWN_LICENCE,
        training_spec("spirals", "csv", options="?target=arm", epochs=60, batch_size=32, lr=1e-2),
        ("accuracy", 0.94)),
    "xor": lesson(
        make_xor, xor_model, OWN_LICENCE,
        training_spec("xor", "csv", options="?target=xor", loss="bce-with-logits", epochs=60,
                      batch_size=8, lr=5e-2),
        ("accuracy", 1.0)),
    "sine": lesson(
        make_sine, sine_model, OWN_LICENCE,
        training_spec("sine", "csv", options="?target=y", loss="mse", epochs=200, batch_size=20,
                      lr=1e-2, metrics=("mae", "rmse")),
        ("rmse", 0.14), output="wave"),
    "iris": lesson(
        make_iris, iris_model, IRIS_LICENCE,
        training_spec("iris", "csv", options="?target=species", epochs=60, batch_size=16, lr=1e-2),
        ("accuracy", 0.93)),
    "digits": lesson(
        make_digits, digits_model, DIGITS_LICENCE,
        training_spec("digits", "npz", epochs=20, batch_size=32, lr=2e-3),
        ("accuracy", 0.97)),
    "digits-transfer": lesson(
        make_digits_transfer, backbone_for_new_digits,
        DIGITS_LICENCE + " The weights were trained on the digits 0 to 4 by make_lessons.py.",
        training_spec("digits-transfer", "npz", trainable=["head.*"], epochs=20, batch_size=32,
                      lr=3e-3),
        ("accuracy", 0.94)),
    "broken": lesson(
        make_broken, broken_model, DIGITS_LICENCE,
        training_spec("broken", "npz", data="digits", epochs=8, batch_size=32, lr=2e-3),
        ("accuracy", 0.92),
        mended={"artifacts": {"straight_through": ["/quantize/Round"],
                              "frozen": ["norm.running_*"]}}),
    "tones": lesson(
        make_tones, tones_model, OWN_LICENCE,
        training_spec("tones", "npz", epochs=40, batch_size=32, lr=5e-3),
        ("accuracy", 0.9)),
    "overfitting": lesson(
        make_overfitting, overfitting_model, OWN_LICENCE,
        training_spec("overfitting", "csv", options="?target=place", epochs=100, batch_size=8,
                      lr=3e-3),
        ("accuracy", 0.75)),
    "exploding": lesson(
        make_exploding, exploding_model, IRIS_LICENCE,
        training_spec("exploding", "csv", data="iris", options="?target=species", optimizer="sgd",
                      epochs=60, batch_size=16, lr=0.5),
        ("accuracy", 0.9),
        mended={"run": {"learning_rate": 0.002, "clip_norm": 1.0}}),
}


# ---- --check -----------------------------------------------------------------------------------


def read_csv(path, target, dtype):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    inputs = [[float(value) for key, value in row.items() if key != target] for row in rows]
    if dtype == np.float32:
        return np.array(inputs, dtype), np.array([float(row[target]) for row in rows], dtype)
    classes = sorted({row[target] for row in rows})
    return np.array(inputs, np.float32), np.array([classes.index(row[target]) for row in rows])


def read_data(spec, loss):
    path, _, options = spec.removeprefix("lesson:").partition("?")
    if path.endswith(".npz"):
        arrays = np.load(HERE / path)
        return arrays["input"], arrays["labels"]
    dtype = np.int64 if loss == "cross-entropy" else np.float32
    return read_csv(HERE / path, options.removeprefix("target="), dtype)


def check(name):
    """Trains with PyTorch as lesson.json says. Returns: whether the goal is reached."""
    lesson = LESSONS[name]
    artifacts = {**lesson["spec"]["artifacts"], **lesson.get("mended", {}).get("artifacts", {})}
    run = {**lesson["spec"]["run"], **lesson.get("mended", {}).get("run", {})}
    loss, patterns = artifacts["loss"]["key"], artifacts["trainable"] or ["*"]
    model = lesson["model"]()
    for key, parameter in model.named_parameters():
        parameter.requires_grad_(any(fnmatch.fnmatch(key, pattern) for pattern in patterns))
    start = time.monotonic()
    fit(model, read_data(run["data"], loss), loss=loss, optimizer=artifacts["optimizer"]["key"],
        epochs=run["epochs"], batch_size=run["batch_size"], lr=run["learning_rate"],
        clip=run.get("clip_norm", 0))
    seconds = time.monotonic() - start
    metric, promised = lesson["goal"]["metric"], lesson["goal"]["value"]
    reached = measure(metric, model, read_data(run["eval_data"], loss))
    print(f"{name:16} {metric} {reached:.4f} (promised {promised}), {seconds:.1f} s")
    return reached >= promised if metric == "accuracy" else reached <= promised


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="lessons; all without")
    parser.add_argument("--check", action="store_true", help="train the lessons, write nothing")
    parser.add_argument("--texts", action="store_true", help="write lesson.json only")
    arguments = parser.parse_args()
    names = arguments.names or list(LESSONS)
    torch.set_num_threads(1)
    if arguments.check:
        return 0 if all([check(name) for name in names]) else 1
    for name in names:
        if not arguments.texts:
            LESSONS[name]["make"](lesson_folder(name))
        write_lesson(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
