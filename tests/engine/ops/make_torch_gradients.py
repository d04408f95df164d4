# SPDX-License-Identifier: Apache-2.0
"""Makes data/torch_gradients.npz: results and gradients of PyTorch for operators that few models
differentiate: selections, operators of steps, computations with quantized integers, and sequences.

Arrays are named <case>/in/<input>, <case>/y, <case>/w (the weights of the loss sum(w y)) and
<case>/grad/<input>, floats in float64. Run it with PyTorch 2.5 or newer:

    python3 tests/engine/ops/make_torch_gradients.py
"""
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(3)
arrays = {}


def rand(*shape, low=-1.0, high=1.0):
    return torch.rand(*shape, dtype=torch.float64) * (high - low) + low


def number(value, dtype=torch.float64):
    return torch.tensor(value, dtype=dtype)


def add(case, call, others=None, **leaves):
    """`call` takes the differentiable inputs and then the others, all as keyword arguments."""
    leaves = {name: value.requires_grad_() for name, value in leaves.items()}
    others = others or {}
    y = call(**leaves, **others)
    w = rand(*y.shape, low=0.5, high=1.5)
    gradients = torch.autograd.grad((w * y).sum(), list(leaves.values()))
    for name, value in {**leaves, **others}.items():
        arrays[f"{case}/in/{name}"] = value.detach().numpy()
    for name, gradient in zip(leaves, gradients):
        arrays[f"{case}/grad/{name}"] = gradient.numpy()
    arrays[f"{case}/y"] = y.detach().numpy()
    arrays[f"{case}/w"] = w.numpy()


# Selections

def selections():
    places = torch.tensor([[0, 3, 1], [-1, 5, 3]])  # -1 is the last one, 5 is none

    def one_hot(v, i, d):
        bits = ((i % d).unsqueeze(1) == torch.arange(int(d)).view(1, -1, 1)) & (i < d).unsqueeze(1)
        return torch.where(bits, v[1], v[0])

    add("one_hot", one_hot, {"i": places, "d": number(4, torch.int64)}, v=rand(2))
    add("range", lambda s, t, e: s + t * torch.arange(int(torch.ceil((e - s) / t))),
        {"e": number(2.0)}, s=number(-0.35), t=number(0.41))

    def unique(x):
        """The first of equal numbers, in ascending order."""
        _, first = np.unique(x.detach().numpy(), return_index=True)
        return x.flatten()[torch.from_numpy(first)]

    def unique_rows(x):
        """The first of equal rows, in their order."""
        _, first = np.unique(x.detach().numpy(), axis=0, return_index=True)
        return x[torch.from_numpy(np.sort(first))]

    add("unique", unique, x=number([[3.0, -1.0, 2.0], [-1.0, 5.0, 3.0]]))
    add("unique_rows", unique_rows, x=number([[3.0, 1.0], [0.0, 2.0], [3.0, 1.0], [0.0, 1.0]]))


# Operators of steps: PyTorch's derivatives are zero.

def steps():
    for name in ("floor", "ceil", "round", "sign"):
        call = getattr(torch, name)
        add(name, lambda x, call=call: call(x * 3) * x, x=rand(2, 5))
    add("hardmax", lambda x: F.one_hot(x.argmax(-1), 4) * x, x=rand(3, 4))
    # Probabilities that leave nothing to chance.
    add("bernoulli", lambda x: torch.bernoulli(x) * (x + 2), x=number([0.0, 1.0, 1.0, 0.0]))


# Quantized integers. Gradients pass straight through the rounding, as they do in
# torch.fake_quantize_per_tensor_affine, which rounds scales to float32.

def rounded(x):
    return x.detach().round() + (x - x.detach())


def quantized(x, scale, zero, low, high):
    q = rounded(x / scale) + zero
    return torch.where((q >= low) & (q <= high), q, q.detach().clamp(low, high))


def fake(x, scale, zero, low, high):
    y = (quantized(x, scale, zero, low, high) - zero) * scale
    if x.requires_grad and scale.numel() == 1:
        own = torch.fake_quantize_per_tensor_affine(x, float(scale), int(zero), low, high)
        (mask,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
        (expected,) = torch.autograd.grad(own.sum(), x, retain_graph=True)
        assert torch.allclose(mask, expected)
        assert torch.allclose(y, own, rtol=1e-5, atol=1e-5)
    return y


def unsigned(x, scale, zero):
    return fake(x, scale, zero, 0, 255)


def signed(x, scale, zero):
    return fake(x, scale, zero, -128, 127)


def own_range(x):
    """The scale and zero point of DynamicQuantizeLinear."""
    zero = torch.zeros((), dtype=x.dtype)
    low, high = torch.minimum(x.min(), zero), torch.maximum(x.max(), zero)
    scale = (high - low) / 255
    return scale, (-low / scale).round().detach()


def integers(*shape, signed=True):
    low, high = (-128, 128) if signed else (0, 256)
    return torch.randint(low, high, shape, dtype=torch.int8 if signed else torch.uint8)


def products():
    def pair(x):
        scale, zero = own_range(x)
        return unsigned(x, scale.detach(), zero)

    add("dynamic_pair", lambda x: torch.tanh(pair(x)), x=rand(3, 4, low=-1, high=2))

    def product(x, k, kz, ks):
        scale, zero = own_range(x)
        sums = (quantized(x, scale, zero, 0, 255) - zero) @ (k.double() - kz.double())
        return torch.tanh(sums * scale * ks)

    add("matmul_integer", product, {"k": integers(4, 2), "kz": torch.tensor([3, -5], dtype=torch.int8),
                                    "ks": number([0.004, 0.007])}, x=rand(3, 4, low=-1, high=2))

    def convolution(x, k, kz, ks):
        scale, zero = own_range(x)
        image = F.pad(quantized(x, scale, zero, 0, 255) - zero, (0, 1, 1, 0))
        return torch.tanh(F.conv2d(image, k.double() - kz.double()) * scale * ks)

    add("conv_integer", convolution,
        {"k": integers(3, 2, 3, 2, signed=False), "kz": number(121, torch.uint8), "ks": number(0.002)},
        x=rand(1, 2, 5, 4, low=-2, high=1))
    add("dynamic_quantize_matmul",
        lambda x, b, k, ks, kz: torch.tanh(pair(x) @ ((k.double() - kz.double()) * ks) + b),
        {"k": integers(4, 2), "ks": number([0.004, 0.007]),
         "kz": torch.tensor([3, -5], dtype=torch.int8)},
        x=rand(3, 4, low=-1, high=2), b=rand(2))


def scales(zero=117):
    """Of an input (s, z) and a result (r, u); the range of the input cuts some numbers off."""
    return {"s": number(0.009), "z": number(zero, torch.uint8), "r": number(0.013),
            "u": number(140, torch.uint8)}


def forms():
    columns = {"k": integers(4, 2), "ks": number([0.004, 0.007]),
               "kz": torch.tensor([3, -5], dtype=torch.int8)}

    def weights(k, ks, kz, shape):
        return (k.double() - kz.double().view(shape)) * ks.view(shape)

    add("qlinear_matmul",
        lambda x, s, z, r, u, k, ks, kz: torch.tanh(
            unsigned(unsigned(x, s, z) @ weights(k, ks, kz, (1, -1)), r, u)),
        {**scales(), **columns}, x=rand(3, 4, low=-2, high=2))
    add("qlinear_matmul_trained",
        lambda x, m, s, z, r, u, ks, kz: torch.tanh(
            unsigned(unsigned(x, s, z) @ signed(m, ks, kz), r, u)),
        {**scales(), "ks": number(0.006), "kz": number(4, torch.int8)},
        x=rand(3, 4, low=-2, high=2), m=rand(4, 2))
    features = {"k": integers(3, 2, 3, 2), "ks": number([0.004, 0.002, 0.003]),
                "kz": torch.tensor([3, 0, -5], dtype=torch.int8),
                "b": torch.tensor([-3000, 200, 5000], dtype=torch.int32)}
    add("qlinear_conv",
        lambda x, s, z, r, u, k, ks, kz, b: torch.tanh(unsigned(
            F.conv2d(F.pad(unsigned(x, s, z), (0, 1, 1, 0)), weights(k, ks, kz, (-1, 1, 1, 1)),
                     b * (s * ks)), r, u)),
        {**scales(), **features}, x=rand(1, 2, 5, 4, low=-2, high=2))
    add("qgemm",
        lambda x, s, z, r, u, k, ks, kz, b: torch.tanh(unsigned(
            0.5 * (unsigned(x, s, z) @ weights(k, ks, kz, (-1, 1)).T + b * (s * ks)), r, u)),
        {**scales(), "k": integers(3, 4), "ks": number([0.004, 0.007, 0.003]),
         "kz": torch.tensor([3, 0, -5], dtype=torch.int8),
         "b": torch.tensor([-3000, 200, 5000], dtype=torch.int32)},
        x=rand(2, 4, low=-2, high=2))
    add("qlinear_add",
        lambda a, b, s, z, r, u: torch.tanh(unsigned(unsigned(a, s, z) + unsigned(b, r, u), r, u)),
        scales(), a=rand(2, 3, low=-2, high=2), b=rand(3, low=-2, high=2))
    add("qlinear_sigmoid",
        lambda x, s, z, r, u: unsigned(torch.sigmoid(unsigned(x, s, z)), r, u),
        scales(), x=rand(2, 5, low=-2, high=2))


# Sequences are Python's lists.

def index(value):
    return number(value, torch.int64)


def parts():
    """Sequences that SplitToSequence makes."""
    sizes = torch.tensor([1, 3])

    def sized(x, sizes):
        left, right = torch.split(x, sizes.tolist(), 1)
        return left * right

    def shorter_last(x, size):
        q = torch.split(x, int(size))
        return torch.cat([q[2], q[0]])

    def mean(x, size):
        q = torch.split(x, int(size))
        return torch.tanh(torch.cat(q)) / len(q)

    add("split_sizes", sized, {"sizes": sizes}, x=rand(2, 4))
    add("split_shorter_last", shorter_last, {"size": index(2)}, x=rand(5, 3))
    add("split_rows", lambda x, i: torch.tanh(torch.split(x, 1)[int(i)]), {"i": index(-2)},
        x=rand(3, 4))
    add("split_columns", lambda x, i, j: torch.unbind(x, 1)[int(i)] * torch.unbind(x, 1)[int(j)],
        {"i": index(0), "j": index(-1)}, x=rand(2, 4))
    add("sequence_length", mean, {"size": index(2)}, x=rand(5, 3))


def changes():
    """Sequences that are built tensor by tensor."""
    def inserted(a, b, c, i):
        q = [a, b]
        q.insert(int(i), c)
        q.append(a)
        return torch.tanh(torch.cat(q))

    def erased(a, b, c, i):
        q = [a, b, c]
        del q[int(i)]
        return torch.cat(q) @ b

    def last_erased(a, b):
        q = [a, a * b, b]
        q.pop()
        return torch.cat(q, 1)

    def from_nothing(a, b):
        q = []
        q.append(a)
        q.insert(0, b)
        return torch.tanh(torch.cat(q))

    add("sequence_at", lambda a, b, i: [a, b, a][int(i)] * b, {"i": index(-1)}, a=rand(2, 3),
        b=rand(2, 3))
    add("sequence_at_data", lambda a, b, x: [a, b, a * b][int(x.argmax())] * x.sum(), a=rand(2, 3),
        b=rand(2, 3), x=number([0.2, -0.4, 0.7]))
    add("sequence_insert", inserted, {"i": index(-1)}, a=rand(2, 3), b=rand(1, 3), c=rand(3, 3))
    add("sequence_erase", erased, {"i": index(1)}, a=rand(2, 3), b=rand(3, 2), c=rand(4, 3))
    add("sequence_erase_last", last_erased, a=rand(2, 3), b=rand(2, 3))
    add("sequence_empty", from_nothing, a=rand(2, 3), b=rand(1, 3))
    add("sequence_stack", lambda a, b: torch.sin(torch.stack([a, b, a * b], -1)), a=rand(2, 3),
        b=rand(2, 3))


def walks():
    """What computes with each tensor of a sequence, and optionals."""
    def mapped(a, c, k):
        return torch.cat([torch.tanh(u * k) for u in (a, c)])

    def mapped_pairs(a, b, c):
        pairs = list(zip([a, c], [b, c]))
        sums = torch.cat([u + v for u, v in pairs])
        return sums * torch.cat([u * v for u, v in pairs])

    def states(a, k):
        q, state = [], a
        for _ in range(3):
            state = torch.tanh(state * k)
            q.append(state)
        return torch.cat(q)

    add("sequence_map", mapped, a=rand(2, 3), c=rand(4, 3), k=rand(3))
    add("sequence_map_pairs", mapped_pairs, a=rand(2, 3), b=rand(2, 3), c=rand(4, 3))
    add("sequence_loop", states, a=rand(2, 3), k=rand(3))
    add("optional", lambda a, b: a * b, a=rand(2, 3), b=rand(2, 3))
    add("optional_sequence", lambda a, b: torch.tanh([a, b][1]) * a, a=rand(2, 3), b=rand(2, 3))


def main():
    selections()
    steps()
    products()
    forms()
    parts()
    changes()
    walks()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/torch_gradients.npz")
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
