# SPDX-License-Identifier: Apache-2.0
"""JSON for the engine."""

from __future__ import annotations

import json
from typing import Any

import numpy

from temper._errors import ArgumentTypeError


def json_text(value: Any) -> str:
    """The text of a value, in which numbers may be NumPy's.

    Raises ArgumentTypeError naming the setting that JSON can't hold.
    """
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    raise ArgumentTypeError(
        f"A setting can't be {value!r}, a {type(value).__name__}.",
        "Use numbers, texts, lists and dictionaries.",
    )
