# SPDX-License-Identifier: Apache-2.0
"""Inputs for a model: found by name, checked against the model, cut into steps."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterable

import numpy as np

from .arrays import Arrays, file_name_for, read_arrays, read_single
from .cli import UsageError
from .models import Infos

MODES = ["auto", "steps", "reuse"]
FEEDS_HELP = "inputs: a folder of NAME.npy, an .npz, or NAME=FILE.npy; may be given several times"


def read_feeds(specs: Iterable[str]) -> Arrays:
    """Reads all `--feeds`: folders, .npz files, .npy files, or NAME=FILE.npy. Raises:
    UsageError."""
    feeds: Arrays = {}
    for spec in specs:
        name, equals, file = spec.partition("=")
        try:
            if equals and name:
                feeds[name] = read_single(file)
            else:
                feeds.update(read_arrays(spec))
        except UsageError as error:
            raise UsageError(f"cannot read feeds {pathlib.Path(spec).name}: {error}") from error
    return feeds


def match_feeds(
    names: Iterable[str], infos: Infos, feeds: Arrays, what: str
) -> tuple[Arrays, dict[str, str]]:
    """Picks the arrays for a model's inputs: by the exact name, or by the name as a file would
    carry it.

    Returns: the arrays, and what was converted ("int64 -> int32") by name. Raises: UsageError.
    """
    arrays, casts = {}, {}
    for name in names:
        array = feeds.get(name, feeds.get(file_name_for(name)))
        if array is None:
            there = ", ".join(feeds) or "none"
            raise UsageError(f"no feed for the {what} input '{name}' (there are: {there})")
        wanted = infos[name].type if name in infos else None
        if wanted and wanted != array.dtype.name:
            arrays[name] = _cast(array, wanted, name)
            casts[name] = f"{array.dtype.name} -> {wanted}"
        else:
            arrays[name] = array
    return arrays, casts


def _cast(array: np.ndarray, wanted: str, name: str) -> np.ndarray:
    """Converts between integers, between floats, and from integers to floats."""

    def is_integer(kind: str) -> bool:
        return kind.startswith(("int", "uint")) or kind == "bool"

    given = array.dtype.name
    widens = is_integer(given) and (is_integer(wanted) or wanted in ("float32", "float64"))
    if not widens and not {given, wanted} <= {"float32", "float64"}:
        raise UsageError(
            f"the input '{name}' is {wanted}, the feed {given}, which does not convert without harm"
        )
    if array.size and is_integer(wanted) and wanted != "bool":
        limits = np.iinfo(wanted)
        for value in (int(array.min()), int(array.max())):
            if not limits.min <= value <= limits.max:
                raise UsageError(f"the feed '{name}' holds {value}, which does not fit in {wanted}")
    with np.errstate(over="ignore"):  # a float64 above float32's largest becomes infinite
        return array.astype(wanted)


def step_feeds(arrays: Arrays, infos: Infos, mode: str) -> Callable[[int], Arrays]:
    """Cuts feeds into steps.

    With the mode `auto`, an array that has one dimension more than the model's input has a leading
    step dimension; with `steps` every array has one, with `reuse` none. Steps past the last start
    over.
    Returns: the inputs by step, counted from 0. Raises: UsageError.
    """
    sliced = {name: _has_steps(name, array, infos, mode) for name, array in arrays.items()}

    def at(step: int) -> Arrays:
        return {
            name: np.asarray(array[step % len(array)]) if sliced[name] else array
            for name, array in arrays.items()
        }

    return at


def _has_steps(name: str, array: np.ndarray, infos: Infos, mode: str) -> bool:
    steps = mode == "steps"
    shape = infos[name].shape if name in infos else None
    if mode == "auto" and shape is not None:
        steps = array.ndim == len(shape) + 1
        if not steps and array.ndim != len(shape):
            raise UsageError(
                f"the input '{name}' has {len(shape)} dimensions {shape}, "
                f"its feed {array.ndim} {list(array.shape)}"
            )
    if steps and (array.ndim == 0 or len(array) == 0):
        raise UsageError(f"the feed '{name}' of shape {list(array.shape)} has no steps")
    return steps
