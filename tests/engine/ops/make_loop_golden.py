# SPDX-License-Identifier: Apache-2.0
"""Makes data/loop_golden.npz: results and gradients of PyTorch for loops whose end depends on data.

Arrays are named <case>/<input>, <case>/y, <case>/w (the weights of the loss sum(w y)) and
<case>/d<input>, in float64. Run it with PyTorch 2.5 or newer:

    python3 tests/engine/ops/make_loop_golden.py
"""
import os

import numpy as np
import torch

torch.manual_seed(5)
arrays = {}


def rand(*shape):
    return torch.rand(*shape, dtype=torch.float64) * 2 - 1


def add(case, call, **inputs):
    """`call` takes all inputs as keyword arguments."""
    leaves = {name: value.requires_grad_() for name, value in inputs.items()}
    y = call(**leaves)
    w = rand(*y.shape)
    gradients = torch.autograd.grad((w * y).sum(), list(leaves.values()))
    for name, value in {**leaves, "y": y, "w": w}.items():
        arrays[f"{case}/{name}"] = value.detach().numpy()
    for name, gradient in zip(leaves, gradients):
        arrays[f"{case}/d{name}"] = gradient.numpy()


def root(a, x):
    """Newton's method until the error is small."""
    while ((x * x - a) ** 2).sum() > 1e-3:
        x = (x + a / x) / 2
    return x


def pondering(s, u, v, h):
    """Refines a state until its halting probabilities add up; they weight the states."""
    total = torch.zeros((), dtype=torch.float64)
    y = torch.zeros_like(s)
    while total < 1:
        s = torch.tanh(s @ u + v)
        p = torch.sigmoid((s * h).sum())
        y = y + p * s
        total = total + p
    return y


def growing(x, k):
    """The states of all iterations, whose number depends on the sum of x."""
    states = []
    for i in range(int(x.sum() * 2)):
        x = torch.sin(x * k) + i
        states.append(x)
    return torch.stack(states)


def main():
    add("root", root, a=rand(3) + 3, x=rand(3) * 0.1 + 1)
    add("pondering", pondering, s=rand(2, 3), u=rand(3, 3), v=rand(3), h=rand(3) * 0.5 - 0.4)
    add("growing", growing, x=rand(2, 2) * 0.2 + 0.5, k=rand(2))
    folder = os.path.join(os.path.dirname(__file__), "data")
    np.savez_compressed(os.path.join(folder, "loop_golden.npz"), **arrays)


if __name__ == "__main__":
    main()
