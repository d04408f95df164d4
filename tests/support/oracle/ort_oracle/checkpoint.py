# SPDX-License-Identifier: Apache-2.0
"""Reads and writes ONNX Runtime Training checkpoints, a flatbuffer with the identifier "ODTC",
without ONNX Runtime.

Slots are the positions of the fields in the schema, ort_training_checkpoint.fbs.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import struct
from collections.abc import Iterable
from typing import Any

import flatbuffers
import flatbuffers.number_types as number_types
import flatbuffers.table
import numpy as np

from .arrays import TYPES, Arrays
from .cli import UsageError
from .models import type_name, type_number

VERSION = 2
IDENTIFIER = b"ODTC"

Property = int | float | str


@dataclasses.dataclass
class Tensor:
    """`array` is None where there are no values: a nominal checkpoint, a tensor without elements,
    text."""

    name: str
    dtype: str
    shape: list[int]
    array: np.ndarray | None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "dtype": self.dtype,
            "shape": self.shape,
            "values": self.array is not None,
        }


@dataclasses.dataclass
class OptimizerGroup:
    name: str
    step: int
    initial_learning_rate: float
    states: dict[str, list[Tensor]]  # by parameter


@dataclasses.dataclass
class Checkpoint:
    version: int
    is_nominal: bool
    has_external_data: bool
    trainable: list[Tensor]
    frozen: list[Tensor]
    groups: list[OptimizerGroup]
    properties: dict[str, Property]


class _Fields:
    """A table of a flatbuffer."""

    def __init__(self, data: bytes, position: int):
        self.table = flatbuffers.table.Table(data, position)

    def _offset(self, slot: int) -> int:
        return self.table.Offset(4 + 2 * slot)

    def number(self, slot: int, flags: type, otherwise: Any = 0) -> Any:
        return self.table.GetSlot(4 + 2 * slot, otherwise, flags)

    def int32(self, slot: int) -> int:
        return self.number(slot, number_types.Int32Flags)

    def int64(self, slot: int, otherwise: int = 0) -> int:
        return self.number(slot, number_types.Int64Flags, otherwise)

    def float32(self, slot: int) -> float:
        return self.number(slot, number_types.Float32Flags, 0.0)

    def flag(self, slot: int) -> bool:
        return bool(self.number(slot, number_types.BoolFlags, False))

    def text(self, slot: int) -> str:
        offset = self._offset(slot)
        return self.table.String(self.table.Pos + offset).decode() if offset else ""

    def inner(self, slot: int) -> _Fields | None:
        offset = self._offset(slot)
        return (
            _Fields(self.table.Bytes, self.table.Indirect(self.table.Pos + offset))
            if offset
            else None
        )

    def inners(self, slot: int) -> list[_Fields]:
        offset = self._offset(slot)
        if not offset:
            return []
        start = self.table.Vector(offset)
        return [
            _Fields(self.table.Bytes, self.table.Indirect(start + 4 * i))
            for i in range(self.table.VectorLen(offset))
        ]

    def values(self, slot: int, dtype: str) -> np.ndarray | None:
        offset = self._offset(slot)
        if not offset:
            return None
        return np.frombuffer(
            self.table.Bytes, dtype, self.table.VectorLen(offset), self.table.Vector(offset)
        )


def _read_tensor(fields: _Fields, external: bytes) -> Tensor:
    dims = fields.values(2, "<i8")
    shape = [] if dims is None else dims.tolist()
    dtype = type_name(fields.int32(3))
    tensor = Tensor(fields.text(0), dtype, shape, None)
    if dtype not in TYPES:
        return tensor
    raw, start = fields.values(4, "u1"), fields.int64(6, -1)
    if raw is None and external and start >= 0:
        raw = np.frombuffer(external, "u1", np.dtype(dtype).itemsize * int(np.prod(shape)), start)
    if raw is not None and raw.size:
        tensor.array = raw.view(dtype).reshape(shape)
    return tensor


def _read_group(fields: _Fields, external: bytes) -> OptimizerGroup:
    states = {
        state.text(0): [_read_tensor(moment, external) for moment in state.inners(1)]
        for state in fields.inners(3)
    }
    return OptimizerGroup(fields.text(0), fields.int64(1), fields.float32(2), states)


def _read_properties(bag: _Fields | None) -> dict[str, Property]:
    if bag is None:
        return {}
    readers = ((0, _Fields.int64), (1, _Fields.float32), (2, _Fields.text))
    return {
        entry.text(0): value_of(entry, 1)
        for slot, value_of in readers
        for entry in bag.inners(slot)
    }


def read_checkpoint(path: str) -> Checkpoint:
    """Reads a checkpoint, with PATH.data beside it.

    Raises: UsageError where there is no such file, ValueError where it is no checkpoint or damaged.
    """
    try:
        data = pathlib.Path(path).read_bytes()
        beside = pathlib.Path(f"{path}.data")
        external = beside.read_bytes() if beside.exists() else b""
    except OSError as error:
        raise UsageError(str(error)) from error
    if data[4:8] != IDENTIFIER:
        raise ValueError(f"{path}: not an ONNX Runtime Training checkpoint (no ODTC identifier)")
    try:
        root = _Fields(data, struct.unpack_from("<I", data)[0])
        module = root.inner(1)

        def tensors(slot: int) -> list[Tensor]:
            return (
                [_read_tensor(fields, external) for fields in module.inners(slot)] if module else []
            )

        return Checkpoint(
            root.int32(0),
            bool(module and module.flag(2)),
            bool(module and module.flag(3)),
            tensors(0),
            tensors(1),
            [_read_group(fields, external) for fields in root.inners(2)],
            _read_properties(root.inner(3)),
        )
    except (struct.error, ValueError, IndexError, TypeError, OverflowError) as error:
        raise ValueError(f"{path}: damaged checkpoint ({error})") from error


def parse_property(text: str) -> tuple[str, Property]:
    """NAME=INTEGER, NAME=FLOAT (with a point) or NAME=TEXT. Raises: UsageError."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UsageError(f"--property: '{text}' is not NAME=VALUE")
    if re.fullmatch(r"-?\d+", value):
        return name, int(value)
    if re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", value, re.IGNORECASE):
        return name, float(value)
    return name, value


class _Writer:
    """Writes tables of a flatbuffer, the inner ones before those that refer to them."""

    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(1 << 20)

    def table(self, *fields: tuple[str, Any] | None) -> int:
        """The fields by slot, each with the kind that the builder has a Prepend...Slot method
        for."""
        self.builder.StartObject(len(fields))
        for slot, field in enumerate(fields):
            if field is not None:
                kind, value = field
                getattr(self.builder, f"Prepend{kind}Slot")(slot, value, 0)
        return self.builder.EndObject()

    def text(self, value: str) -> tuple[str, int]:
        return self.refer(self.builder.CreateString(value))

    def tables(self, offsets: Iterable[int]) -> tuple[str, int]:
        offsets = list(offsets)
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.refer(self.builder.EndVector())

    def tensor(self, name: str, array: np.ndarray) -> int:
        dims = self.refer(self.builder.CreateNumpyVector(np.array(array.shape, np.int64)))
        return self.table(
            self.text(name),
            None,
            dims,
            ("Int32", type_number(array.dtype.name)),
            self._raw(array.tobytes()),
        )

    def tensors(self, arrays: Arrays) -> tuple[str, int]:
        return self.tables([self.tensor(name, array) for name, array in arrays.items()])

    def _raw(self, data: bytes) -> tuple[str, int]:
        """A vector of bytes that is aligned for the widest element."""
        self.builder.StartVector(1, len(data), 8)
        self.builder.head -= len(data)
        self.builder.Bytes[self.builder.head : self.builder.head + len(data)] = data
        return self.refer(self.builder.EndVector())

    @staticmethod
    def refer(offset: int) -> tuple[str, int]:
        return "UOffsetTRelative", offset


def _write_group(writer: _Writer, group: OptimizerGroup) -> int:
    states = []
    for parameter, moments in group.states.items():
        tensors = writer.tensors({moment.name: moment.array for moment in moments})
        states.append(writer.table(writer.text(parameter), tensors))
    return writer.table(
        writer.text(group.name),
        ("Int64", group.step),
        ("Float32", group.initial_learning_rate),
        writer.tables(states),
    )


def _write_properties(writer: _Writer, properties: dict[str, Property]) -> int:
    lists: dict[type, list[int]] = {int: [], float: [], str: []}
    for name, value in properties.items():
        stored = {int: ("Int64", value), float: ("Float32", value)}.get(type(value)) or writer.text(
            value
        )
        lists[type(value)].append(writer.table(writer.text(name), stored))
    return writer.table(*[writer.tables(tables) for tables in lists.values()])


def write_checkpoint(
    path: str,
    trainable: Arrays,
    frozen: Arrays,
    group: OptimizerGroup | None,
    properties: dict[str, Property],
) -> None:
    """Writes a complete checkpoint of version 2."""
    writer = _Writer()
    module = writer.refer(writer.table(writer.tensors(trainable), writer.tensors(frozen)))
    groups = writer.tables([_write_group(writer, group)]) if group else None
    bag = writer.refer(_write_properties(writer, properties)) if properties else None
    writer.builder.Finish(writer.table(("Int32", VERSION), module, groups, bag), IDENTIFIER)
    pathlib.Path(path).write_bytes(writer.builder.Output())
