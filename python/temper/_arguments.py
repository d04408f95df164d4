# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, which raise the module's errors."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from temper._errors import ArgumentTypeError, InvalidInputError

_LARGEST_SEED = (1 << 64) - 1
_MOST_THREADS = 4096
_LARGEST = (1 << 63) - 1


def names_of(given: Iterable[str] | None, what: str) -> list[str]:
    """A list of names: of several, of one, or of none. Raises ArgumentTypeError."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"Expected names for {what}; found {given!r}.")
    return [name_of(name, what, "names") for name in given]


def name_of(given: Any, what: str, expected: str = "a name") -> str:
    """Raises ArgumentTypeError if it is not a text."""
    if not isinstance(given, str):
        raise ArgumentTypeError(f"Expected {expected} for {what}; found {given!r}.")
    return given


def whole_number(given: Any, what: str, least: int = 0, most: int = _LARGEST) -> int:
    """Raises ArgumentTypeError for anything else, and InvalidInputError out of range."""
    if not isinstance(given, numbers.Integral):
        raise ArgumentTypeError(f"Expected a whole number for {what}; found {given!r}.")
    value = int(given)
    if not least <= value <= most:
        limit = f"{least} or more" if most == _LARGEST else f"{least} to {most}"
        raise InvalidInputError(f"'{what}' is {value}; expected {limit}.")
    return value


def number(given: Any, what: str) -> float:
    """Raises ArgumentTypeError if it is not a number."""
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        return float(given)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"Expected a number for {what}; found {given!r}.") from None


def seed_of(given: Any, what: str = "seed") -> int:
    """A whole number of 64 bits."""
    return whole_number(given, what, 0, _LARGEST_SEED)


def threads_of(given: Any) -> int:
    """A number of threads; 0 for one per core."""
    return whole_number(given, "threads", 0, _MOST_THREADS)


def mapping_of(given: Mapping[str, Any] | None, what: str) -> dict[str, Any]:
    """A dictionary; empty for None. Raises ArgumentTypeError if it is not a mapping of names."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"Expected a mapping for {what}; found {given!r}.")
    return {name_of(key, what, "names as keys"): value for key, value in given.items()}
