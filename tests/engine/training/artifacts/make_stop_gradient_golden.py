#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes stop_gradient_golden.json: losses and gradients that PyTorch gives if values are detached
from the graph by detach().

The model is that of stop_gradient_test.cpp; a case names the nodes whose results are detached.
Needs Debian's python3-torch.
"""
import json
import pathlib

import torch

torch.manual_seed(3)


def numbers(*shape):
    """Random numbers that float32 and short decimals hold exactly."""
    return (torch.randn(*shape, dtype=torch.float64) * 64).round() / 64


TENSORS = {"x": numbers(5, 3), "target": numbers(5, 2), "w1": numbers(3, 4), "w2": numbers(4, 4),
           "w3": numbers(4, 2)}


def model(stops, x, w1, w2, w3):
    def at(name, value):
        return value.detach() if name in stops else value

    first = at("/first", x @ w1)
    act = at("/act", torch.tanh(first))
    gate = at("/gate", torch.sigmoid(act @ w2))
    mix = at("/mix", act * gate)
    return at("/last", (mix + act) @ w3)


def case(*stops):
    leaves = {name: TENSORS[name].clone().requires_grad_() for name in ("w1", "w2", "w3")}
    loss = ((model(stops, TENSORS["x"], **leaves) - TENSORS["target"]) ** 2).mean()
    loss.backward()
    return {"stops": list(stops), "loss": loss.item(),
            "gradients": {name: leaf.grad.flatten().tolist() for name, leaf in leaves.items()
                          if leaf.grad is not None}}


CASES = [case(), case("/gate"), case("/mix"), case("/act"), case("/first"), case("/act", "/gate")]
entries = {name: {"shape": list(value.shape), "values": value.flatten().tolist()}
           for name, value in TENSORS.items()}
path = pathlib.Path(__file__).with_name("stop_gradient_golden.json")
path.write_text(json.dumps({"tensors": entries, "cases": CASES}, indent=1) + "\n")
