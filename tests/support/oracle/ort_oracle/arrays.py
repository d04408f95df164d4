# SPDX-License-Identifier: Apache-2.0
"""Named arrays: .npy and .npz files, folders of .npy, and how an array goes into JSON."""

from __future__ import annotations

import io
import json
import pathlib
import re
import zipfile
from typing import Any

import numpy as np

from .cli import UsageError

Arrays = dict[str, np.ndarray]

TYPES = frozenset(
    [
        "float16",
        "float32",
        "float64",
        "bool",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
    ]
)


def file_name_for(name: str) -> str:
    """The file name, without its ending, that a tensor of this name gets."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


def _plain(array: np.ndarray, what: str) -> np.ndarray:
    """The array in C order and the machine's byte order."""
    if array.dtype.name not in TYPES:
        raise UsageError(f"{what}: the element type {array.dtype} is not supported")
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def _load(path: pathlib.Path) -> Arrays:
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {path.name.removesuffix(".npy"): _plain(loaded, str(path))}
        with loaded:
            return {name: _plain(loaded[name], f"{path}({name})") for name in loaded.files}
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path}: no readable .npy or .npz file ({error})") from error


def read_arrays(path: str) -> Arrays:
    """Reads an .npz file, an .npy file (its array is named after it) or a folder of .npy files.

    A folder may hold an index.json, {"tensor name": "file.npy"}, for names that are no file names.
    Raises: UsageError.
    """
    place = pathlib.Path(path)
    try:
        if not place.is_dir():
            return _load(place)
        index = place / "index.json"
        if index.exists():
            files = json.loads(index.read_text(encoding="utf-8"))
        else:
            files = {
                file.name.removesuffix(".npy"): file.name for file in sorted(place.glob("*.npy"))
            }
        return {name: read_single(str(place / file)) for name, file in files.items()}
    except (OSError, json.JSONDecodeError) as error:
        raise UsageError(str(error)) from error


def read_single(path: str) -> np.ndarray:
    """The only, or the first, array of a file. Raises: UsageError."""
    arrays = read_arrays(path)
    if not arrays:
        raise UsageError(f"{path}: no arrays in it")
    return next(iter(arrays.values()))


def _npy_bytes(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array, order="C"), allow_pickle=False)
    return buffer.getvalue()


def write_npy(path: str, array: np.ndarray) -> None:
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_bytes(_npy_bytes(array))


def write_arrays(path: str, arrays: Arrays) -> None:
    """Writes an .npz file, or a folder with an .npy for each array and an index.json. Equal arrays
    give equal bytes."""
    if path.endswith(".npz"):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in arrays.items():
                entry = zipfile.ZipInfo(
                    f"{name}.npy"
                )  # its date is a constant, unlike numpy.savez's
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, _npy_bytes(array))
        return
    index: dict[str, str] = {}
    for name, array in arrays.items():
        base, file, count = file_name_for(name), f"{file_name_for(name)}.npy", 0
        while file in index.values():
            count += 1
            file = f"{base}.{count}.npy"
        index[name] = file
        write_npy(str(pathlib.Path(path) / file), array)
    pathlib.Path(path).mkdir(parents=True, exist_ok=True)
    text = json.dumps(index, indent=2, ensure_ascii=False)
    (pathlib.Path(path) / "index.json").write_text(text + "\n", encoding="utf-8")


def _numbers(array: np.ndarray) -> list[Any]:
    flat = array.ravel()
    return (flat.astype(np.uint8) if flat.dtype == np.bool_ else flat).tolist()


def summarize(array: np.ndarray, limit: int = 16) -> Any:
    """How an array goes into JSON: a single number as itself, something small with its values, the
    rest summed up."""
    if array.ndim == 0 or array.shape == (1,):
        return _numbers(array)[0]
    head = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.size <= limit:
        return {**head, "values": _numbers(array)}
    wide = array.astype(np.float64)
    return {
        **head,
        "mean": float(wide.mean()),
        "min": float(wide.min()),
        "max": float(wide.max()),
        "first": _numbers(array.ravel()[:4]),
    }


def summarize_all(arrays: Arrays) -> dict[str, Any]:
    return {name: summarize(array) for name, array in arrays.items()}
