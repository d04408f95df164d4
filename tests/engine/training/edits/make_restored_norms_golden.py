#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes restored_norms_golden.json: PyTorch's results for a model whose merged batch norms
were restored with statistics from the data: statistics, losses and gradients of training steps, and
the running means afterwards.

The model is that of restored_norms_test.cpp. Needs PyTorch.
"""
import json
import pathlib

import torch

torch.manual_seed(11)
RATE, STEPS, EPSILONS = 0.01, 3, {"bn1": 1e-3, "bn2": 1e-5}
MOMENTA = {"bn1": 0.2, "bn2": 0.1}  # PyTorch's


def numbers(*shape):
    """Random numbers that float32 and short decimals hold exactly."""
    return (torch.randn(*shape, dtype=torch.float64) * 64).round() / 64


TENSORS = {"x": numbers(6, 2, 5, 5), "target": numbers(6, 3)}
MERGED = {"conv.weight": numbers(4, 2, 3, 3), "conv.weight_bias": numbers(4),
          "head.weight": numbers(3, 4), "head.bias": numbers(3)}


def first(x, w):
    return torch.nn.functional.conv2d(x, w["conv.weight"])


def second(images, w):
    return torch.relu(images).mean((2, 3)) @ w["head.weight"].T + w["head.bias"]


def put_back(name, value, bias):
    """The norm after which the value is `value + bias` as before."""
    axes = [0, *range(2, value.dim())]
    mean, variance = value.mean(axes), value.var(axes, unbiased=False)
    return {f"{name}.weight": (variance + EPSILONS[name]).sqrt(), f"{name}.bias": mean + bias,
            f"{name}.running_mean": mean, f"{name}.running_var": variance}


plain = first(TENSORS["x"], MERGED)
biased = plain + MERGED["conv.weight_bias"].reshape(4, 1, 1)
norms = put_back("bn1", plain, MERGED["conv.weight_bias"])
norms |= put_back("bn2", second(biased, MERGED), torch.zeros(3, dtype=torch.float64))
statistics = {name: value.clone() for name, value in norms.items() if "running" in name}
weights = {name: value for name, value in (MERGED | norms).items()
           if name not in statistics and name != "conv.weight_bias"}


def norm(name, value, w):
    return torch.nn.functional.batch_norm(
        value, statistics[f"{name}.running_mean"], statistics[f"{name}.running_var"],
        w[f"{name}.weight"], w[f"{name}.bias"], training=True, momentum=MOMENTA[name],
        eps=EPSILONS[name])


losses, gradients = [], None
w = {name: value.clone().requires_grad_() for name, value in weights.items()}
for _ in range(STEPS):
    y = norm("bn2", second(norm("bn1", first(TENSORS["x"], w), w), w), w)
    loss = ((y - TENSORS["target"]) ** 2).mean()
    found = dict(zip(w, torch.autograd.grad(loss, list(w.values()))))
    gradients = gradients or found
    losses.append(loss.item())
    w = {name: (value - RATE * found[name]).detach().requires_grad_() for name, value in w.items()}


def entries(tensors):
    return {name: {"shape": list(value.shape), "values": value.flatten().tolist()}
            for name, value in tensors.items()}


path = pathlib.Path(__file__).with_name("restored_norms_golden.json")
after = {name: value for name, value in statistics.items() if name.endswith("mean")}
path.write_text(json.dumps({"tensors": entries(TENSORS), "merged": entries(MERGED),
                            "prediction": entries({"y": second(biased, MERGED)})["y"],
                            "norms": entries(norms), "rate": RATE, "losses": losses,
                            "gradients": entries(gradients), "means": entries(after)}) + "\n")
