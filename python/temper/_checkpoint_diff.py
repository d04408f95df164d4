# SPDX-License-Identifier: Apache-2.0
"""How checkpoints differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

from temper import _temper
from temper._checkpoint import Checkpoint
from temper._errors import NotFoundError
from temper._files import PathLike


class CheckpointDiff(Mapping[str, _temper.ParameterDiff]):
    """How two checkpoints differ: by name, what both have, in the order of the first.

    >>> import temper
    >>> before = temper.Checkpoint.of(temper.artifacts(mlp_path))
    >>> after = temper.Checkpoint.of(temper.artifacts(mlp_path, head_classes=5))
    >>> [name for name, change in temper.diff(before, after).items() if not change.is_same]
    ['fc2.weight', 'fc2.bias']
    """

    def __init__(
        self,
        parameters: list[_temper.ParameterDiff],
        only_in_first: list[str],
        only_in_second: list[str],
    ) -> None:
        self._parameters = {parameter.name: parameter for parameter in parameters}
        self._only_in_first = only_in_first
        self._only_in_second = only_in_second

    @property
    def only_in_first(self) -> list[str]:
        """Names of parameters that the second one lacks."""
        return list(self._only_in_first)

    @property
    def only_in_second(self) -> list[str]:
        """Names of parameters that the first one lacks."""
        return list(self._only_in_second)

    @property
    def is_same(self) -> bool:
        """Whether both have the same parameters with the same values."""
        if self._only_in_first or self._only_in_second:
            return False
        return all(parameter.is_same for parameter in self.values())

    def __getitem__(self, name: str) -> _temper.ParameterDiff:
        if name not in self._parameters:
            raise NotFoundError(f"Parameter {name} is not in both checkpoints.")
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __repr__(self) -> str:
        changed = sum(not parameter.is_same for parameter in self.values())
        text = f"<CheckpointDiff: {changed} of {len(self)} parameters differ"
        if self._only_in_first or self._only_in_second:
            text += (
                f", {len(self._only_in_first)} only in the first"
                f", {len(self._only_in_second)} only in the second"
            )
        return text + ">"


def _state(checkpoint: Union[Checkpoint, PathLike]) -> _temper.State:
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint.load(checkpoint)
    return checkpoint._state


def diff(
    first: Union[Checkpoint, PathLike], second: Union[Checkpoint, PathLike]
) -> CheckpointDiff:
    """Compares two checkpoints, or files of them, as ``temper checkpoint diff`` does.

    Raises FileNotFoundError if there is no such file.

    >>> import temper
    >>> made = temper.artifacts(mlp_path)
    >>> before, after = temper.Checkpoint.of(made), temper.Checkpoint.of(made)
    >>> after["fc1.bias"].data[:] *= 2
    >>> changes = temper.diff(before, after)
    >>> changes
    <CheckpointDiff: 1 of 4 parameters differ>
    >>> changes["fc1.bias"].relative
    1.0
    """
    return CheckpointDiff(*_temper.compare_states(_state(first), _state(second)))
