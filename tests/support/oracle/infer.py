#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a model in the real ONNX Runtime: its build for inference, or its training build."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from ort_oracle import runtime
from ort_oracle.arrays import TYPES, Arrays, summarize, write_arrays
from ort_oracle.cli import UsageError, make_parser, names, need_file, print_json, run_script
from ort_oracle.feeds import FEEDS_HELP, match_feeds, read_feeds
from ort_oracle.models import Infos, ValueInfo, infos_of, read_model


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add("--model", required=True)
    add(
        "--feeds",
        action="append",
        default=[],
        help=f"{FEEDS_HELP}. Inputs without a feed are an error unless " "--random is given.",
    )
    add(
        "--random",
        type=int,
        metavar="SEED",
        help="fill inputs that have no feed with normal random numbers (floats), "
        "true (bool) or zeros (others)",
    )
    add(
        "--dims",
        type=names,
        default=[],
        metavar="NAMES",
        help="sizes of named dimensions for --random: " "batch=2,seq=8 (1 where not given)",
    )
    add(
        "--out",
        metavar="DIR|FILE",
        help="where to write the outputs: a folder of .npy with an index.json, or an .npz",
    )
    add(
        "--feeds-out",
        metavar="DIR|FILE",
        help="write the inputs used, with --random's, in the same forms",
    )
    add(
        "--bench",
        type=int,
        default=0,
        metavar="N",
        help="then run N times more and report the milliseconds",
    )
    add(
        "--warmup",
        type=int,
        default=3,
        metavar="N",
        help="runs before those that --bench counts (default 3)",
    )
    add("--threads", type=int, default=1, help="threads within an operator (default 1)")
    add(
        "--runtime",
        choices=runtime.RUNTIMES,
        default=runtime.NATIVE,
        help="native (default): the build for " "inference; training: the training build",
    )
    runtime.add_runtime_options(parser)
    return parser.parse_args(arguments)


def sizes_of(dims: list[str]) -> dict[str, int]:
    sizes = {}
    for dim in dims:
        name, equals, size = dim.rpartition("=")
        if not name or not equals or not size.isdecimal():
            raise UsageError(f"--dims: '{dim}' is not NAME=SIZE")
        sizes[name] = int(size)
    return sizes


def add_random(feeds: Arrays, infos: Infos, seed: int, sizes: dict[str, int]) -> None:
    """Fills the inputs that have no feed."""
    generator = np.random.default_rng(seed)
    for name, info in infos.items():
        if name not in feeds:
            feeds[name] = filled(info, sizes, generator)


def filled(info: ValueInfo, sizes: dict[str, int], generator: np.random.Generator) -> np.ndarray:
    if info.kind != "tensor" or info.shape is None:
        raise UsageError(f"--random: the input '{info.name}' is no tensor of known rank")
    if info.type not in TYPES:
        raise UsageError(f"--random: no values for the input '{info.name}' of type {info.type}")
    shape = [dim if isinstance(dim, int) and dim >= 0 else sizes.get(dim, 1) for dim in info.shape]
    if info.type.startswith("float"):
        return np.asarray(generator.standard_normal(shape)).astype(info.type)
    return np.full(shape, info.type == "bool", info.type)


def timed(session: runtime.Session, arrays: Arrays, options: argparse.Namespace) -> dict[str, Any]:
    prepared = session.prepare(arrays)
    for _ in range(options.warmup):
        session.run_prepared(prepared)
    times = []
    for _ in range(options.bench):
        begin = time.perf_counter_ns()
        session.run_prepared(prepared)
        times.append((time.perf_counter_ns() - begin) / 1e6)
    return {
        "runs": len(times),
        "threads": options.threads,
        "medianMs": statistics.median(times),
        "minMs": min(times),
        "maxMs": max(times),
    }


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    sizes = sizes_of(options.dims)
    infos = infos_of(read_model(need_file(options.model, "model")))
    session = runtime.Session(options.runtime, options.model, options, options.threads)
    feeds = read_feeds(options.feeds)
    if options.random is not None:
        add_random(feeds, infos, options.random, sizes)
    arrays, casts = match_feeds(session.input_names, infos, feeds, "model")
    if options.feeds_out is not None:
        write_arrays(options.feeds_out, arrays)
    outputs = session.run(arrays)
    if options.out is not None:
        write_arrays(options.out, outputs)
    result: dict[str, Any] = {
        "runtime": runtime.version(session.build),
        "outputs": {
            name: {
                "dtype": array.dtype.name,
                "shape": list(array.shape),
                "summary": summarize(array),
            }
            for name, array in outputs.items()
        },
    }
    if casts:
        result["casts"] = casts
    if options.bench > 0:
        result["bench"] = timed(session, arrays, options)
    print_json(result)
    return 0


if __name__ == "__main__":
    run_script(main)
