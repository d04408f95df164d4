# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.training.api.checkpoint_state"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from temper import _temper
from temper._checkpoint import Checkpoint, Parameter, PropertyValue
from temper._checkpoint import Properties as _NativeProperties
from temper._errors import ArgumentTypeError
from temper._files import PathLike, existing, path_of

__all__ = ["CheckpointState", "Parameter", "Parameters", "Properties"]


class Parameters:
    """The parameters of a state by name. Iteration yields pairs, sorted by name.

    >>> from temper.onnxruntime.training.api import CheckpointState
    >>> parameters = CheckpointState.load_checkpoint(art / "checkpoint").parameters
    >>> [name for name, parameter in parameters if parameter.data.size > 5]
    ['fc1.weight', 'fc2.weight']
    >>> parameters["fc2.bias"].data[:] = 0
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint

    def __getitem__(self, name: str) -> Parameter:
        return self._checkpoint[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._checkpoint[name] = value

    def __contains__(self, name: object) -> bool:
        return name in self._checkpoint

    def __iter__(self) -> Iterator[tuple[str, Parameter]]:
        return iter(self.items())

    def __len__(self) -> int:
        return len(self._checkpoint)

    def keys(self) -> list[str]:
        return sorted(self._checkpoint)

    def values(self) -> list[Parameter]:
        return [self._checkpoint[name] for name in self.keys()]

    def items(self) -> list[tuple[str, Parameter]]:
        return [(name, self._checkpoint[name]) for name in self.keys()]

    def __repr__(self) -> str:
        return f"Parameters({self.keys()})"


class Properties:
    """The properties of a state by name. Iteration yields pairs, sorted by name.

    Integers of 64 bits, float32 and text are kept.

    >>> from temper.onnxruntime.training.api import CheckpointState
    >>> properties = CheckpointState.load_checkpoint(art / "checkpoint").properties
    >>> properties["loss"], properties["epoch"] = 0.5, 3
    >>> list(properties)
    [('epoch', 3), ('loss', 0.5)]
    """

    def __init__(self, properties: _NativeProperties) -> None:
        self._properties = properties

    def __getitem__(self, name: str) -> PropertyValue:
        return self._properties[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._properties[name] = value

    def __contains__(self, name: object) -> bool:
        return name in self._properties

    def __iter__(self) -> Iterator[tuple[str, PropertyValue]]:
        return iter(self.items())

    def __len__(self) -> int:
        return len(self._properties)

    def keys(self) -> list[str]:
        return sorted(self._properties)

    def values(self) -> list[PropertyValue]:
        return [self._properties[name] for name in self.keys()]

    def items(self) -> list[tuple[str, PropertyValue]]:
        return [(name, self._properties[name]) for name in self.keys()]

    def __repr__(self) -> str:
        return f"Properties({dict(self.items())!r})"


class CheckpointState:
    """Parameters, properties and optimizer state. load_checkpoint() makes one.

    >>> from temper.onnxruntime.training.api import CheckpointState
    >>> state = CheckpointState.load_checkpoint(art / "checkpoint")
    >>> state.properties["epoch"] = 3
    >>> CheckpointState.save_checkpoint(state, folder / "saved", include_optimizer_state=True)
    >>> CheckpointState.load_checkpoint(folder / "saved").properties["epoch"]
    3
    """

    def __init__(self, state: _temper.State) -> None:
        if not isinstance(state, _temper.State):
            raise ArgumentTypeError(
                f"CheckpointState can't be made of {type(state).__name__}.",
                "Write CheckpointState.load_checkpoint(path).",
            )
        self._state = state
        self._checkpoint = Checkpoint(state)
        self._parameters = Parameters(self._checkpoint)
        self._properties = Properties(self._checkpoint.properties)

    @classmethod
    def load_checkpoint(cls, checkpoint_uri: PathLike) -> CheckpointState:
        """Loads a checkpoint. Raises FileNotFoundError if it does not exist."""
        return cls(_temper.load_state(existing(checkpoint_uri, "checkpoint")))

    @staticmethod
    def save_checkpoint(
        state: CheckpointState,
        checkpoint_uri: PathLike,
        include_optimizer_state: bool = False,
    ) -> None:
        """Writes the state; the file is replaced only if writing succeeds."""
        state._state.save(path_of(checkpoint_uri, "checkpoint"), include_optimizer_state)

    def state_dict(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Copies of the parameters by name."""
        return self._checkpoint.state_dict()

    @property
    def parameters(self) -> Parameters:
        return self._parameters

    @property
    def properties(self) -> Properties:
        return self._properties

    def __reduce__(self) -> tuple[Any, ...]:
        return _parsed, (self._state.to_bytes(True),)

    def __repr__(self) -> str:
        return repr(self._checkpoint).replace("<Checkpoint", "<CheckpointState")


def _parsed(data: bytes) -> CheckpointState:
    return CheckpointState(_temper.parse_state(data))
