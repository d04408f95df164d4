#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of the bundled lessons: models, data, and the choices in lesson.json.

    resources/lessons/make_lessons.py            writes all files beside this script
    resources/lessons/make_lessons.py --check    trains each lesson with PyTorch as its lesson.json
                                                 says and prints the accuracy on its test samples

Needs Debian's python3-torch and python3-sklearn. The products are committed; on one version of
these packages, running the script again gives the same bytes.
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

HERE = pathlib.Path(__file__).resolve().parent
SEED = 7
OPSET = 17


# ---- models ------------------------------------------------------------------------------------


class DigitsNet(nn.Module):
    """Two convolutions and two linear layers for 8 x 8 grey images."""

    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.flatten = nn.Flatten()
        self.hidden = nn.Linear(512, 64)
        self.relu1, self.relu2, self.relu3 = nn.ReLU(), nn.ReLU(), nn.ReLU()
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        x = self.relu1(self.conv1(x))
        x = self.pool(self.relu2(self.conv2(x)))
        return self.head(self.relu3(self.hidden(self.flatten(x))))


class TransferNet(nn.Module):
    """The convolutions of DigitsNet, and one linear layer that reads them."""

    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.flatten = nn.Flatten()
        self.relu1, self.relu2 = nn.ReLU(), nn.ReLU()
        self.head = nn.Linear(512, classes)

    def forward(self, x):
        x = self.relu1(self.conv1(x))
        x = self.pool(self.relu2(self.conv2(x)))
        return self.head(self.flatten(x))


def perceptron(*sizes, activation):
    """Linear layers of these sizes with an activation between them."""
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), activation()]
    return nn.Sequential(*layers[:-1])


def export(model, sample_shape, path):
    """Writes the model unchanged, with every parameter an initializer and the batch size open."""
    torch.onnx.export(
        model, torch.zeros(1, *sample_shape), str(path), opset_version=OPSET,
        input_names=["input"], output_names=["logits"],
        dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}},
        training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)


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


def write_lesson(folder, **lesson):
    with open(folder / "lesson.json", "w") as file:
        json.dump(lesson, file, indent=2, ensure_ascii=False)
        file.write("\n")


def lesson_folder(name):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    return folder


def training_spec(name, data_suffix, *, options="", trainable=(), epochs, batch_size, lr):
    """The choices of a lesson in the form of TrainingSpec; what is left out keeps its default."""
    data = f"lesson:{name}/%s.{data_suffix}{options}"
    return {
        "model": f"lesson:{name}/model.onnx",
        "artifacts": {
            "trainable": list(trainable),
            "loss": {"key": "cross-entropy", "values": {}},
            "optimizer": {"key": "adamw", "values": {}},
        },
        "run": {
            "data": data % "train",
            "eval_data": data % "test",
            "epochs": epochs,
            "batch_size": batch_size,
            "learning_rate": lr,
            "schedule": {"key": "constant", "values": {}},
            "seed": SEED,
            "metrics": ["accuracy"],
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


def fit(model, samples, *, epochs, batch_size, lr):
    inputs, labels = (torch.from_numpy(array) for array in samples)
    chosen = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(chosen, lr=lr, weight_decay=1e-2)
    generator = torch.Generator().manual_seed(SEED)
    for _ in range(epochs):
        for batch in torch.randperm(len(labels), generator=generator).split(batch_size):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs[batch]), labels[batch]).backward()
            optimizer.step()


def accuracy(model, samples):
    inputs, labels = (torch.from_numpy(array) for array in samples)
    with torch.no_grad():
        return (model(inputs).argmax(1) == labels).double().mean().item()


# ---- lessons -----------------------------------------------------------------------------------

DIGITS_LICENCE = (
    "Digits: E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine "
    "Learning Repository, doi:10.24432/C50P49, CC BY 4.0, as distributed by scikit-learn; scaled "
    "to 0..1 and split.")


def digits_model():
    torch.manual_seed(SEED)
    return DigitsNet(10)


def make_digits():
    folder = lesson_folder("digits")
    train, test = digits()
    write_npz(folder / "train.npz", input=train[0], labels=train[1])
    write_npz(folder / "test.npz", input=test[0], labels=test[1])
    export(digits_model(), (1, 8, 8), folder / "model.onnx")
    write_lesson(
        folder, name="digits", title="Handwritten digits",
        summary="A small convolutional network learns to read 8 × 8 images of handwritten digits, "
                "from random weights to more than 97 % right in seconds.",
        tryThis=[
            "Press Train and watch training and validation loss fall together.",
            "Pause, step once, and see by how much one batch moves the loss.",
            "Train with a learning rate ten times larger. What happens to the curve?",
            "Freeze conv1 and conv2 at their random values and train only the linear layers.",
            "Look at the confusion matrix: which digits are taken for each other?",
        ],
        licence=DIGITS_LICENCE,
        modelFile="lessons/digits/model.onnx", exportOutput="logits", expectedAccuracy=0.97,
        spec=training_spec("digits", "npz", epochs=20, batch_size=32, lr=2e-3))


def backbone_for_new_digits():
    """TransferNet after training on the digits 0 to 4, with a fresh head for five others."""
    train, _ = digits()
    torch.manual_seed(SEED)
    model = TransferNet(5)
    fit(model, only(train, 0, 4), epochs=20, batch_size=32, lr=2e-3)
    model.head = nn.Linear(512, 5)
    return model


def make_digits_transfer():
    folder = lesson_folder("digits-transfer")
    train, test = (only(part, 5, 9) for part in digits())
    write_npz(folder / "train.npz", input=train[0], labels=train[1])
    write_npz(folder / "test.npz", input=test[0], labels=test[1])
    export(backbone_for_new_digits(), (1, 8, 8), folder / "model.onnx")
    write_lesson(
        folder, name="digits-transfer", title="New digits for a trained network",
        summary="A network that knows the digits 0 to 4 learns 5 to 9 by training its last layer "
                "only: 2,565 of 7,365 values.",
        tryThis=[
            "Look at the parameters: all but the head are frozen.",
            "Train, then tick conv2.weight and conv2.bias as well and train again: how much is "
            "gained?",
            "Compare the size of the checkpoint's optimizer state in both cases.",
            "Labels 0 to 4 stand for the digits 5 to 9: find them in the first batch.",
        ],
        licence=DIGITS_LICENCE + " The weights were trained on the digits 0 to 4 by "
                                 "make_lessons.py.",
        modelFile="lessons/digits-transfer/model.onnx", exportOutput="logits",
        expectedAccuracy=0.94,
        spec=training_spec("digits-transfer", "npz", trainable=["head.*"], epochs=20,
                           batch_size=32, lr=3e-3))


def iris():
    bunch = sklearn.datasets.load_iris()
    return split(bunch.data.astype(np.float32), bunch.target.astype(np.int64), 0.2), bunch


def iris_rows(samples, names):
    return [[f"{value:.1f}" for value in row] + [names[label]] for row, label in zip(*samples)]


def make_iris():
    folder = lesson_folder("iris")
    (train, test), bunch = iris()
    header = ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
    write_csv(folder / "train.csv", header, iris_rows(train, bunch.target_names))
    write_csv(folder / "test.csv", header, iris_rows(test, bunch.target_names))
    torch.manual_seed(SEED)
    export(perceptron(4, 16, 3, activation=nn.ReLU), (4,), folder / "model.onnx")
    write_lesson(
        folder, name="iris", title="Iris flowers",
        summary="The classic table: four lengths of a flower in centimetres, three species, and "
                "the smallest network that tells them apart.",
        tryThis=[
            "Open the data page: four columns become one input, the species becomes the target.",
            "Train, then look at the confusion matrix: versicolor and virginica overlap.",
            "Replace AdamW by SGD with the same learning rate and compare the curves.",
            "Leave out the petal columns. How well do the sepals do alone?",
        ],
        licence="R. A. Fisher, Iris, UCI Machine Learning Repository, doi:10.24432/C56C76, "
                "CC BY 4.0, as distributed by scikit-learn; split.",
        modelFile="lessons/iris/model.onnx", exportOutput="logits", expectedAccuracy=0.93,
        spec=training_spec("iris", "csv", options="?target=species", epochs=60, batch_size=16,
                           lr=1e-2))


ARMS = ["blue", "green", "red"]


def spirals(count, generator):
    points = np.concatenate([spiral(arm, count, generator) for arm in range(len(ARMS))])
    return points.round(4).astype(np.float32), np.repeat(np.arange(len(ARMS)), count)


def spiral_rows(samples):
    return [[f"{x:.4f}", f"{y:.4f}", ARMS[label]] for (x, y), label in zip(*samples)]


def make_spirals():
    folder = lesson_folder("spirals")
    generator = np.random.default_rng(SEED)
    for part, count in [("train", 200), ("test", 60)]:
        write_csv(folder / f"{part}.csv", ["x", "y", "arm"], spiral_rows(spirals(count, generator)))
    torch.manual_seed(SEED)
    export(perceptron(2, 32, 32, 3, activation=nn.Tanh), (2,), folder / "model.onnx")
    write_lesson(
        folder, name="spirals", title="Three spirals",
        summary="Points on three entangled spirals: no straight line separates them, two hidden "
                "layers do.",
        tryThis=[
            "Train and watch the long plateau before the network finds the first bend.",
            "Freeze the middle layer: is one trained hidden layer enough?",
            "Try seeds 1, 2 and 3: the curves differ, the end does not.",
            "Halve the learning rate, then double it: which one is faster, which one is calmer?",
        ],
        licence="Generated by make_lessons.py; CC0 1.0.",
        modelFile="lessons/spirals/model.onnx", exportOutput="logits", expectedAccuracy=0.94,
        spec=training_spec("spirals", "csv", options="?target=arm", epochs=60, batch_size=32,
                           lr=1e-2))


# ---- --check -----------------------------------------------------------------------------------


def read_csv(path, target):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    classes = sorted({row[target] for row in rows})
    inputs = [[float(value) for key, value in row.items() if key != target] for row in rows]
    return (np.array(inputs, np.float32),
            np.array([classes.index(row[target]) for row in rows], np.int64))


def read_data(spec):
    path, _, options = spec.removeprefix("lesson:").partition("?")
    if path.endswith(".npz"):
        arrays = np.load(HERE / path)
        return arrays["input"], arrays["labels"]
    return read_csv(HERE / path, options.removeprefix("target="))


LESSONS = {
    "digits": (make_digits, digits_model),
    "digits-transfer": (make_digits_transfer, backbone_for_new_digits),
    "iris": (make_iris, lambda: perceptron(4, 16, 3, activation=nn.ReLU)),
    "spirals": (make_spirals, lambda: perceptron(2, 32, 32, 3, activation=nn.Tanh)),
}


def check(name):
    """Trains with PyTorch as lesson.json says. Returns: whether the accuracy is as promised."""
    lesson = json.loads((HERE / name / "lesson.json").read_text())
    run, patterns = lesson["spec"]["run"], lesson["spec"]["artifacts"]["trainable"] or ["*"]
    torch.manual_seed(SEED)
    model = LESSONS[name][1]()
    for key, parameter in model.named_parameters():
        parameter.requires_grad_(any(fnmatch.fnmatch(key, pattern) for pattern in patterns))
    start = time.monotonic()
    fit(model, read_data(run["data"]), epochs=run["epochs"], batch_size=run["batch_size"],
        lr=run["learning_rate"])
    seconds = time.monotonic() - start
    reached = accuracy(model, read_data(run["eval_data"]))
    print(f"{name:16} accuracy {reached:.4f} (promised {lesson['expectedAccuracy']}), "
          f"{seconds:.1f} s")
    return reached >= lesson["expectedAccuracy"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="train the lessons, write nothing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.check:
        return 0 if all([check(name) for name in LESSONS]) else 1
    for make, _ in LESSONS.values():
        make()
    return 0


if __name__ == "__main__":
    sys.exit(main())
