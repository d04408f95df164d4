# SPDX-License-Identifier: Apache-2.0
"""Arrays that go in and come out: NumPy's, OrtValues, anything with __dlpack__."""

from __future__ import annotations

import sys
from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]


class ParameterBuffer:
    """A flat copy of parameters, with the members of ONNX Runtime's own OrtValue."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def numpy(self) -> Array:
        return self._array

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def data_type(self) -> str:
        return "tensor(float)"

    def device_name(self) -> str:
        return "cpu"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self._array if dtype is None else self._array.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def to_dlpack(self) -> Any:
        return self._array.__dlpack__()


def is_ort_value(value: Any) -> bool:
    """Whether it is onnxruntime's OrtValue, of Python or of its C module."""
    return type(value).__name__ == "OrtValue" and type(value).__module__.startswith("onnxruntime")


def array_of(value: Any) -> Any:
    """What the engine takes for it: lists and numbers become arrays, OrtValues their arrays."""
    if is_ort_value(value):
        return value.numpy()
    if isinstance(value, ParameterBuffer):
        return value.numpy()
    if isinstance(value, (list, tuple, int, float)):
        return numpy.asarray(value)
    return value


def ort_value_of(array: Array) -> Any:
    """An OrtValue of the installed onnxruntime, which the caller's inputs came from."""
    return sys.modules["onnxruntime"].OrtValue.ortvalue_from_numpy(array)
