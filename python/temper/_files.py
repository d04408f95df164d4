# SPDX-License-Identifier: Apache-2.0
"""Paths as arguments."""

from __future__ import annotations

import os
from typing import Union

from temper._errors import ArgumentTypeError, MissingFileError

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def path_of(argument: PathLike, what: str) -> str:
    """The path as text. Raises ArgumentTypeError if it is not a path."""
    try:
        return os.fsdecode(argument)
    except TypeError:
        raise ArgumentTypeError(
            f"Expected a path for {what}; found {type(argument).__name__}.",
            "Pass a str or an os.PathLike.",
        ) from None


def existing(argument: PathLike, what: str) -> str:
    """The path as text. Raises MissingFileError, a FileNotFoundError, if nothing is there."""
    path = path_of(argument, what)
    if not os.path.exists(path):
        hint = "Download it first: addresses are not opened." if "://" in path else ""
        raise MissingFileError(f"The {what} '{path}' does not exist.", hint, path)
    return path
