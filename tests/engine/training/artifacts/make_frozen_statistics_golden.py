#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes frozen_statistics_golden.json: losses and gradients that PyTorch gives if some batch
normalizations are in eval mode while the rest of the model trains.

The model is that of frozen_statistics_test.cpp; a case names the normalizations in eval mode.
Needs PyTorch.
"""
import json
import pathlib

import torch

torch.manual_seed(5)
RATE, STEPS = 0.005, 3


def numbers(*shape, positive=False):
    """Random numbers that float32 and short decimals hold exactly."""
    made = (torch.randn(*shape, dtype=torch.float64) * 64).round() / 64
    return made.abs() + 0.25 if positive else made


TENSORS = {"x": numbers(4, 2, 5, 5), "target": numbers(4, 3)}
WEIGHTS = {"conv.weight": numbers(4, 2, 3, 3), "head.weight": numbers(3, 4)}
STATISTICS = {}
for name, size in (("bn1", 4), ("bn2", 3)):
    WEIGHTS |= {f"{name}.weight": numbers(size, positive=True), f"{name}.bias": numbers(size)}
    STATISTICS |= {f"{name}.running_mean": numbers(size),
                   f"{name}.running_var": numbers(size, positive=True)}


def model(frozen, w):
    def norm(name, value):
        statistics = [STATISTICS[f"{name}.running_{part}"].clone() for part in ("mean", "var")]
        return torch.nn.functional.batch_norm(value, *statistics, w[f"{name}.weight"],
                                              w[f"{name}.bias"], training=name not in frozen)

    images = norm("bn1", torch.nn.functional.conv2d(TENSORS["x"], w["conv.weight"]))
    return norm("bn2", torch.relu(images).mean((2, 3)) @ w["head.weight"].T)


def case(*frozen):
    w = {name: value.clone().requires_grad_() for name, value in WEIGHTS.items()}
    losses, first = [], None
    for _ in range(STEPS):
        loss = ((model(frozen, w) - TENSORS["target"]) ** 2).mean()
        gradients = dict(zip(w, torch.autograd.grad(loss, list(w.values()))))
        first = first or {name: value.flatten().tolist() for name, value in gradients.items()}
        losses.append(loss.item())
        w = {name: (value - RATE * gradients[name]).detach().requires_grad_()
             for name, value in w.items()}
    return {"frozen": list(frozen), "losses": losses, "gradients": first}


entries = {name: {"shape": list(value.shape), "values": value.flatten().tolist()}
           for name, value in (TENSORS | WEIGHTS | STATISTICS).items()}
path = pathlib.Path(__file__).with_name("frozen_statistics_golden.json")
cases = [case(), case("bn1"), case("bn2"), case("bn1", "bn2")]
path.write_text(json.dumps({"tensors": entries, "rate": RATE, "cases": cases}) + "\n")
