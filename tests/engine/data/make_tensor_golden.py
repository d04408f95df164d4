#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tensors, NumPy's statistics of their values, and the orders into which it sorts them.

Writes tensor_golden.npz. For each tensor x: x.stats (minimum, maximum, mean, standard deviation and
norm of the finite values; zeros, NaN, infinities), x.bins (64 equal bins), and the positions in
ascending and descending order of values and of magnitudes. NaN is last; equal values keep their
order.
"""
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def stats(x):
    wide = x.astype(np.float64).ravel()
    finite = wide[np.isfinite(wide)]
    return np.array([finite.min(), finite.max(), finite.mean(), finite.std(),
                     np.sqrt((finite ** 2).sum()), (finite == 0).sum(), np.isnan(wide).sum(),
                     np.isinf(wide).sum()])


def orders(x):
    flat = x.ravel()
    value = flat if flat.dtype.kind in "iu" else flat.astype(np.float64)
    if value.dtype.kind in "iu":
        python = [int(v) for v in value]
        ascending = sorted(range(len(python)), key=lambda i: python[i])
        descending = sorted(range(len(python)), key=lambda i: -python[i])
        large = sorted(range(len(python)), key=lambda i: -abs(python[i]))
    else:
        ascending = np.argsort(value, kind="stable")
        descending = np.argsort(-value, kind="stable")
        large = np.argsort(-np.abs(value), kind="stable")
    return {"ascending": np.array(ascending, np.int64),
            "descending": np.array(descending, np.int64), "large": np.array(large, np.int64)}


def main():
    random = np.random.default_rng(5)
    floats = random.normal(size=(7, 9, 5)).astype(np.float32)
    floats.ravel()[::11] = 0
    floats.ravel()[5] = -0.0
    floats.ravel()[100:140] = floats.ravel()[0:40]
    special = random.normal(size=300).astype(np.float32) * 10.0 ** random.integers(-30, 30, 300)
    special = special.astype(np.float32)
    special[[3, 77, 200]] = np.nan
    special[[4, 5]] = [np.inf, -np.inf]
    tensors = {
        "floats": floats,
        "special": special,
        "doubles": random.normal(size=(40, 6)),
        "halves": random.normal(size=(16, 16)).astype(np.float16),
        "bytes": random.integers(0, 256, size=(20, 20)).astype(np.uint8),
        "longs": random.integers(-2**62, 2**62, size=200),
        "near": np.array([2**60 + 1, 2**60, -2**60, -2**60 - 1, 2**60 + 2], np.int64),
        "flags": random.integers(0, 2, size=50).astype(bool),
        "same": np.full((8, 8), 2.5, np.float32),
    }
    out = {}
    for name, x in tensors.items():
        out[name] = x
        out[name + ".stats"] = stats(x)
        wide = x.astype(np.float64).ravel()
        wide = wide[np.isfinite(wide)]
        out[name + ".bins"] = np.histogram(wide, 64)[0].astype(np.int64)
        for order, positions in orders(x.astype(np.uint8) if x.dtype == bool else x).items():
            out[f"{name}.{order}"] = positions
    np.savez_compressed(os.path.join(HERE, "tensor_golden.npz"), **out)


main()
