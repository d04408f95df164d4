# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: parameters, properties and the state of the optimizer."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Union

import numpy

from temper import _temper
from temper._arguments import name_of
from temper._errors import ArgumentTypeError, InvalidInputError, NotFoundError
from temper._files import PathLike, existing, path_of

#: What a property holds: int64, float32 or text.
PropertyValue = Union[int, float, str]

_LARGEST_INTEGER = 2**63
_LARGEST_FLOAT = float(numpy.finfo(numpy.float32).max)


def property_value(value: Any) -> PropertyValue:
    """The value as it is stored. Raises ArgumentTypeError for what a property can't hold."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, numpy.bool_)):
        return int(value)
    if isinstance(value, numbers.Integral):
        whole = int(value)
        return whole if -_LARGEST_INTEGER <= whole < _LARGEST_INTEGER else _float(whole)
    if isinstance(value, numbers.Real):
        return _float(value)
    raise ArgumentTypeError(
        f"A property can't hold {type(value).__name__}.",
        "It holds an int (64 bits), a float (stored as float32) or a str.",
    )


def _float(value: Any) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = 2 * _LARGEST_FLOAT
    if math.isfinite(number) and abs(number) > _LARGEST_FLOAT:
        raise InvalidInputError(
            "The number is too large for a property, which stores float32.", "Store it as text."
        )
    return number


class Parameter:
    """A parameter of a checkpoint.

    Its arrays are views: they show what training does, and writing into them changes the
    parameter. They stay valid after everything else is gone.

    >>> import temper
    >>> bias = temper.Checkpoint.of(temper.artifacts(mlp_path))["fc1.bias"]
    >>> bias.data[:] = 0
    >>> bias.name, bias.requires_grad, bias.data.tolist()
    ('fc1.bias', True, [0.0, 0.0, 0.0, 0.0, 0.0])
    """

    __slots__ = ("_state", "_name")

    def __init__(self, state: _temper.State, name: str) -> None:
        self._state = state
        self._name = name

    @property
    def name(self) -> str:
        """Its name in the model."""
        return self._name

    @property
    def requires_grad(self) -> bool:
        """Whether it trains."""
        return self._state.requires_grad(self._name)

    @property
    def data(self) -> numpy.ndarray[Any, Any]:
        """The parameter itself, a writable view. To replace it, assign an array: it is copied.

        Raises StateError for a nominal checkpoint, which has names only.
        """
        return self._state.data(self._name)

    @data.setter
    def data(self, value: Any) -> None:
        self._state.set_data(self._name, value)

    @property
    def grad(self) -> numpy.ndarray[Any, Any] | None:
        """The gradient, a writable view; None if it is frozen or no session has been made."""
        return self._state.gradient(self._name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        array = self.data
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.data.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.data.__dlpack_device__()

    def numpy(self) -> numpy.ndarray[Any, Any]:
        """The same as ``data``."""
        return self.data

    def __reduce__(self) -> Any:
        raise ArgumentTypeError(
            "A parameter can't be pickled or copied alone: it is a view of its checkpoint.",
            "Take the checkpoint, or parameter.data.copy().",
        )

    def __repr__(self) -> str:
        return f"Parameter(name={self._name}, requires_grad={self.requires_grad})"


class Properties(MutableMapping[str, PropertyValue]):
    """The properties of a checkpoint: int64, float32 or text, by name.

    A float is rounded to float32; an int that 64 bits can't hold becomes a float.

    >>> import temper
    >>> properties = temper.Checkpoint.of(temper.artifacts(mlp_path)).properties
    >>> properties.update(epoch=3, note="first try")
    >>> dict(properties)
    {'epoch': 3, 'note': 'first try'}
    """

    def __init__(self, state: _temper.State) -> None:
        self._state = state

    def __getitem__(self, name: str) -> PropertyValue:
        value = self._state.get_property(name) if isinstance(name, str) else None
        if value is None:
            raise NotFoundError(f"No property named {name}.")
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        self._state.set_property(name_of(name, "a property"), property_value(value))

    def __delitem__(self, name: str) -> None:
        if not isinstance(name, str) or not self._state.remove_property(name):
            raise NotFoundError(f"No property named {name}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.properties())

    def __len__(self) -> int:
        return len(self._state.properties())

    def __reduce__(self) -> Any:
        raise ArgumentTypeError(
            "Properties can't be pickled or copied alone: they are a view of their checkpoint.",
            "Take the checkpoint, or dict(properties).",
        )

    def __repr__(self) -> str:
        return f"Properties({dict(self)!r})"


class Checkpoint(Mapping[str, Parameter]):
    """A checkpoint: a mapping of names to parameters, in the file's order.

    >>> import temper
    >>> checkpoint = temper.Checkpoint.of(temper.artifacts(mlp_path))
    >>> list(checkpoint)
    ['fc1.weight', 'fc1.bias', 'fc2.weight', 'fc2.bias']
    >>> checkpoint["fc2.bias"].data.shape
    (3,)
    >>> checkpoint["fc2.bias"] = checkpoint["fc2.bias"].data * 0
    >>> checkpoint.properties["epoch"] = 3
    """

    def __init__(self, state: _temper.State) -> None:
        if not isinstance(state, _temper.State):
            raise ArgumentTypeError(
                f"Expected the state of a checkpoint; found {type(state).__name__}.",
                "To load a file, use Checkpoint.load().",
            )
        self._state = state
        self._properties = Properties(state)

    @classmethod
    def load(cls, path: PathLike) -> Checkpoint:
        """Loads a checkpoint, Temper's or ONNX Runtime's. Raises FileNotFoundError."""
        return cls(_temper.load_state(existing(path, "checkpoint")))

    @classmethod
    def from_bytes(cls, data: bytes) -> Checkpoint:
        """From the bytes of a file without external data."""
        if not isinstance(data, bytes):
            raise ArgumentTypeError(
                f"Expected the bytes of a checkpoint; found {type(data).__name__}.",
                "To load a file, use Checkpoint.load().",
            )
        return cls(_temper.parse_state(data))

    @classmethod
    def of(cls, artifacts: _temper.Artifacts) -> Checkpoint:
        """A new one with the initial values of artifacts."""
        return cls(artifacts.new_state())

    def save(self, path: PathLike, include_optimizer_state: bool = True) -> None:
        """Writes the checkpoint. The file at ``path`` is replaced only if writing succeeds.

        Without the optimizer's state, training that continues from the file starts its moments at
        zero. Raises FileError, an OSError, if it can't be written.
        """
        self._state.save(path_of(path, "checkpoint"), include_optimizer_state)

    def to_bytes(self, include_optimizer_state: bool = True) -> bytes:
        """The same as bytes."""
        return self._state.to_bytes(include_optimizer_state)

    def state_dict(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Copies of the parameters by name."""
        return {name: parameter.data.copy() for name, parameter in self.items()}

    def load_state_dict(self, arrays: Mapping[str, Any], strict: bool = True) -> None:
        """Copies arrays into the parameters of their names.

        With ``strict`` the names have to be those of the parameters; without it, only what both
        have is copied. Raises InvalidInputError naming what is missing or surplus, or has another shape
        or type; the parameters are then as before.
        """
        missing = [name for name in self if name not in arrays]
        surplus = [name for name in arrays if name not in self]
        if strict and (missing or surplus):
            problems = [f"'{name}' is missing" for name in missing]
            problems += [f"'{name}' is surplus" for name in surplus]
            raise InvalidInputError(
                f"The arrays are not those of the checkpoint: {', '.join(problems)}.",
                "With strict=False, only what both have is copied.",
            )
        before: dict[str, numpy.ndarray[Any, Any]] = {}
        try:
            for name in self:
                if name in arrays:
                    kept = None if self.is_nominal else self[name].data.copy()
                    self[name] = arrays[name]
                    if kept is not None:
                        before[name] = kept
        except BaseException:
            for name, array in before.items():
                self[name].data[...] = array
            raise

    @property
    def properties(self) -> Properties:
        """Numbers and texts that are saved with the parameters."""
        return self._properties

    @property
    def step(self) -> int:
        """How many steps the optimizer has done."""
        return self._state.step

    @property
    def is_nominal(self) -> bool:
        """Whether it has the names of the parameters only."""
        return self._state.is_nominal

    def __getitem__(self, name: str) -> Parameter:
        if name not in self:
            raise NotFoundError(f"Parameter {name} not found.")
        return Parameter(self._state, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self[name].data = value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._state.has(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.names())

    def __len__(self) -> int:
        return len(self._state.names())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        trained = sum(self._state.requires_grad(name) for name in self)
        nominal = ", nominal" if self.is_nominal else ""
        return f"<Checkpoint: {len(self)} parameters, {trained} train, step {self.step}{nominal}>"
