# SPDX-License-Identifier: Apache-2.0
"""Makes data/small_types.npz: the element types below 16 bits as ml_dtypes implements them.

For each type: <type>/numbers, the values of its codes 0, 1, ...; <type>/x, numbers, and the codes
to which they convert: <type>/codes with saturation at the largest number and <type>/open without
(infinity or not-a-number). Not-a-number is compared as such. Run it with ml_dtypes and NumPy:

    python3 tests/engine/ops/make_small_types_golden.py
"""
import os

import ml_dtypes
import numpy as np

FLOATS = {"float8e4m3fn": ("float8_e4m3fn", 8), "float8e4m3fnuz": ("float8_e4m3fnuz", 8),
          "float8e5m2": ("float8_e5m2", 8), "float8e5m2fnuz": ("float8_e5m2fnuz", 8),
          "float4e2m1": ("float4_e2m1fn", 4), "float6e2m3": ("float6_e2m3fn", 6),
          "float6e3m2": ("float6_e3m2fn", 6)}


def numbers_near(codes):
    """All numbers of a type, numbers between them, and some beyond its range."""
    known = np.unique(codes[np.isfinite(codes)].astype(np.float32))
    between = (known[1:] + known[:-1]) / 2
    lower, upper = np.nextafter(between, -np.inf), np.nextafter(between, np.inf)
    beyond = known.max() * np.array([1.01, 1.03, 1.1, 1.3, 2, 1000], np.float32)
    return np.concatenate([known, between, lower, upper, beyond, -beyond,
                           [np.inf, -np.inf, 0.0, -0.0]]).astype(np.float32)


def main():
    arrays = {}
    for name, (ml_name, bits) in FLOATS.items():
        dtype = np.dtype(getattr(ml_dtypes, ml_name))
        codes = np.arange(2 ** bits, dtype=np.uint8).view(dtype).astype(np.float32)
        x = numbers_near(codes)
        info = ml_dtypes.finfo(dtype)
        kept = np.clip(x, np.float32(info.min), np.float32(info.max))
        arrays[f"{name}/numbers"] = codes
        arrays[f"{name}/x"] = x
        arrays[f"{name}/codes"] = kept.astype(dtype).view(np.uint8)
        arrays[f"{name}/open"] = x.astype(dtype).view(np.uint8)
    exponents = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)
    arrays["float8e8m0/numbers"] = exponents.astype(np.float32)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/small_types.npz")
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
