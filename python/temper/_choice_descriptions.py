# SPDX-License-Identifier: Apache-2.0
"""Names and texts of the classes that stand for losses, optimizers and schedules.

They are made from the engine's descriptions. This file imports nothing of the package: the build
makes stubs with it before the package is whole.
"""

from __future__ import annotations

import keyword
import re
from typing import Protocol, Sequence


class HyperParameter(Protocol):
    """A number that may be set: _temper.HyperParameter."""

    @property
    def key(self) -> str: ...
    @property
    def default(self) -> float: ...
    @property
    def minimum(self) -> float: ...
    @property
    def maximum(self) -> float: ...
    @property
    def help(self) -> str: ...
    @property
    def kind(self) -> str: ...


class Choice(Protocol):
    """A loss, an optimizer or a schedule: _temper.Choice."""

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def hyperparameters(self) -> Sequence[HyperParameter]: ...


def class_name(choice: Choice) -> str:
    """'CrossEntropy' for 'cross-entropy': the parts of the key, written as in the label.

    A part that is a word of the label, or the beginning of one, is written as there ("AdamW"), and
    one of its words' initials in capitals ("MSE" of "Mean squared error").
    """
    words = re.findall(r"[A-Za-z0-9]+", choice.label)
    initials = "".join(word[0].lower() for word in words)
    name = ""
    for part in re.findall(r"[A-Za-z0-9]+", choice.key):
        found = next((word for word in words if word.lower() == part.lower()), None)
        if found is None and len(part) > 1 and part.lower() in initials:
            found = part.upper()
        found = found or part
        name += found[0].upper() + found[1:]
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Choice{name}"


def number_text(number: float) -> str:
    """'0.1', '100', '1e-06'."""
    return f"{number:.9g}"


def default_of(parameter: HyperParameter) -> float | bool | tuple[float, ...]:
    """What a parameter is if it is not set."""
    if parameter.kind == "switch":
        return bool(parameter.default)
    if parameter.kind == "list":
        return ()
    whole = parameter.default.is_integer() and abs(parameter.default) < 1e9
    return int(parameter.default) if whole else parameter.default


def type_of(parameter: HyperParameter) -> str:
    """The annotation of an argument."""
    return {"switch": "bool", "list": "Sequence[float]"}.get(parameter.kind, "float")


def help_of(parameter: HyperParameter) -> str:
    """A line that describes an argument."""
    if parameter.kind == "switch":
        return f"{parameter.key}: {parameter.help}"
    span = f"{number_text(parameter.minimum)} to {number_text(parameter.maximum)}"
    if parameter.kind == "list":
        return f"{parameter.key}: {parameter.help} Numbers from {span}."
    return f"{parameter.key}: {parameter.help} From {span}."


def documentation(choice: Choice) -> str:
    """The docstring of a class."""
    text = f"{choice.label}. {choice.help}"
    if choice.hyperparameters:
        lines = (f"\n    {help_of(parameter)}" for parameter in choice.hyperparameters)
        text += "\n\nArgs:" + "".join(lines)
    return text
