# SPDX-License-Identifier: Apache-2.0
"""Makes data/attention_golden.npz: attention and its gradients as PyTorch computes them.

Arrays are named <case>/<input>, <case>/y, <case>/w (the weights of the loss sum(w y)) and
<case>/d<input>, in float64. Run it with PyTorch 2.5 or newer:

    python3 tests/engine/ops/make_attention_golden.py
"""
import os

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as attention

torch.manual_seed(11)
arrays = {}


def rand(*shape):
    return torch.rand(*shape, dtype=torch.float64) * 4 - 2


def add(case, differentiable, call, **others):
    """`call` takes all inputs as keyword arguments."""
    inputs = {name: value.requires_grad_() for name, value in differentiable.items()}
    y = call(**inputs, **others)
    w = rand(*y.shape)
    gradients = torch.autograd.grad((w * y).sum(), list(inputs.values()))
    for name, value in {**inputs, **others, "y": y, "w": w}.items():
        arrays[f"{case}/{name}"] = value.detach().numpy()
    for name, gradient in zip(inputs, gradients):
        arrays[f"{case}/d{name}"] = gradient.numpy()


def heads(queries=3, keys=5, query_heads=4, key_heads=4, size=6, value_size=6):
    return {"q": rand(2, query_heads, queries, size), "k": rand(2, key_heads, keys, size),
            "v": rand(2, key_heads, keys, value_size)}


def main():
    add("plain", heads(), lambda q, k, v: attention(q, k, v))
    add("values_of_another_size", heads(value_size=3), lambda q, k, v: attention(q, k, v))
    add("scaled", heads(), lambda q, k, v: attention(q, k, v, scale=0.25))
    add("causal", heads(5, 5), lambda q, k, v: attention(q, k, v, is_causal=True))
    add("grouped", heads(4, 4, 6, 2),
        lambda q, k, v: attention(q, k, v, is_causal=True, enable_gqa=True))
    mask = rand(2, 1, 3, 5) > -1
    mask[0, 0, 1] = torch.tensor([False, False, True, False, False])
    add("mask", heads(), lambda q, k, v, mask: attention(q, k, v, mask), mask=mask)
    add("bias", {**heads(), "bias": rand(4, 3, 5)},
        lambda q, k, v, bias: attention(q, k, v, bias))
    hidden = rand(3, 5)
    hidden[hidden > 1] = -torch.inf
    add("infinite_bias", heads(), lambda q, k, v, bias: attention(q, k, v, bias), bias=hidden)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/attention_golden.npz")
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
