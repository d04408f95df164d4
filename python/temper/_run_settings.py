# SPDX-License-Identifier: Apache-2.0
"""The settings of a run as keyword arguments: the engine's table names and explains them."""

from __future__ import annotations

import math
import numbers
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from temper import _temper
from temper._artifacts import _selection
from temper._errors import ArgumentTypeError, InvalidInputError
from temper._files import path_of


def chosen(given: Mapping[str, Any], also: Iterable[str] = ()) -> dict[str, Any]:
    """The settings by their key in JSON. ``also`` are further arguments, for suggestions.

    Raises ArgumentTypeError for an argument that is unknown or of a wrong kind, and
    InvalidInputError for one that is given by two names.
    """
    rows = {name: row for row in _temper.run_settings() for name in (row.key, row.flag) if name}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in rows:
            raise ArgumentTypeError(
                f"fit() has no argument '{name}'.",
                _temper.did_you_mean(name, [*rows, *also]) + "help(temper.fit) lists all of them.",
            )
        row = rows[name]
        if row.key in values:
            raise InvalidInputError(
                f"'{row.key}' is given twice: '{row.flag}' is another name for it.", "Give one."
            )
        values[row.key] = _value(row.kind, name, value)
    return values


def number(given: Mapping[str, Any], key: str) -> int:
    """The setting, or its default."""
    usual = next(row.default for row in _temper.run_settings() if row.key == key)
    return int(given.get(key, usual))


def described() -> str:
    """A paragraph for each setting, for the documentation of fit()."""
    paragraphs = []
    for row in _temper.run_settings():
        name = row.key if row.flag in ("", row.key) else f"{row.flag} or {row.key}"
        usual = {"on": "True", "off": "False"}.get(row.default, row.default)
        text = f"{name}: {row.help}" + (f" [{usual}]" if usual else "")
        paragraphs.append(
            textwrap.fill(text, 96, initial_indent=" " * 4, subsequent_indent=" " * 8)
        )
    return "\n".join(paragraphs)


def _value(kind: str, name: str, value: Any) -> Any:
    """The value as JSON has it."""
    if kind == "choice":
        return _selection(value, name)
    if kind == "names":
        return [value] if isinstance(value, str) else [str(each) for each in value]
    if kind == "pairs":
        if not isinstance(value, Mapping):
            raise ArgumentTypeError(f"Expected a mapping for {name}; found {value!r}.")
        return {str(key): str(each) for key, each in value.items()}
    if kind == "path":
        return path_of(value, name)
    if kind == "text":
        return _expected(value, str, "a text", name)
    if kind == "bool":
        return bool(_expected(value, (bool, numbers.Integral), "True or False", name))
    if kind == "int":
        return int(_expected(value, numbers.Integral, "a whole number", name))
    number = float(_expected(value, numbers.Real, "a number", name))
    if not math.isfinite(number):
        raise InvalidInputError(f"'{name}' is {number}; expected a finite number.")
    return number


def _expected(value: Any, kinds: Any, what: str, name: str) -> Any:
    if isinstance(value, kinds):
        return value
    raise ArgumentTypeError(f"Expected {what} for {name}; found {value!r}.")
