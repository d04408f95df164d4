# SPDX-License-Identifier: Apache-2.0
"""The networks of the bundled lessons, and how they become ONNX files."""

import torch
from torch import nn

OPSET = 17


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


class StraightRound(nn.Module):
    """Rounds to steps of 1/16. Exported as it is; trained here as the lesson's remedy says."""

    def forward(self, x):
        rounded = torch.round(x * 16) / 16
        return rounded if torch.onnx.is_in_onnx_export() else x + (rounded - x).detach()


class TakenApartNorm(nn.Module):
    """A batch normalization as careless exporters write it: arithmetic with two statistics."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_var", torch.ones(features))

    def measure(self, x):
        self.running_mean.copy_(x.mean(0))
        self.running_var.copy_(x.var(0))

    def forward(self, x):
        scaled = (x - self.running_mean) / torch.sqrt(self.running_var + 1e-5)
        return scaled * self.weight + self.bias


class BrokenNet(nn.Module):
    """Runs, but does not train: rounds on the way, and shows its statistics as parameters."""

    WEIGHT, BIAS = "onnx::Conv_30", "onnx::Conv_31"  # as PyTorch names what it folded

    def __init__(self):
        super().__init__()
        folded = nn.Conv2d(1, 16, 3, padding=1)
        self.register_parameter(self.WEIGHT, folded.weight)
        self.register_parameter(self.BIAS, folded.bias)
        self.pool, self.flatten = nn.MaxPool2d(2), nn.Flatten()
        self.hidden = nn.Linear(256, 32)
        self.norm = TakenApartNorm(32)
        self.relu1, self.relu2 = nn.ReLU(), nn.ReLU()
        self.quantize = StraightRound()
        self.head = nn.Linear(32, 10)

    def hidden_values(self, x):
        x = nn.functional.conv2d(x, getattr(self, self.WEIGHT), getattr(self, self.BIAS), padding=1)
        return self.hidden(self.flatten(self.pool(self.relu1(x))))

    def forward(self, x):
        x = self.relu2(self.norm(self.hidden_values(x)))
        return self.head(self.quantize(x))


class ToneNet(nn.Module):
    """Two convolutions along time and a mean over it."""

    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv1d(1, 8, 16, stride=2)
        self.conv2 = nn.Conv1d(8, 16, 5, stride=2)
        self.relu1, self.relu2 = nn.ReLU(), nn.ReLU()
        self.mean, self.flatten = nn.AdaptiveAvgPool1d(1), nn.Flatten()
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        x = self.relu2(self.conv2(self.relu1(self.conv1(x))))
        return self.head(self.flatten(self.mean(x)))


def perceptron(*sizes, activation):
    """Linear layers of these sizes with an activation between them."""
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), activation()]
    return nn.Sequential(*layers[:-1])


def export(model, sample_shape, path, output="logits"):
    """Writes the model unchanged, with every parameter an initializer and the batch size open."""
    torch.onnx.export(
        model, torch.zeros(1, *sample_shape), str(path), opset_version=OPSET,
        input_names=["input"], output_names=[output],
        dynamic_axes={"input": {0: "batch"}, output: {0: "batch"}},
        training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)
