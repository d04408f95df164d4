# SPDX-License-Identifier: Apache-2.0
"""The seed that modules made later draw theirs from."""

import threading

_MODULES = 1 << 32

_lock = threading.Lock()
_next = 0


def set_seed(seed: int) -> None:
    """Determines Dropout and other random operators of the modules that are made afterwards.

    >>> from temper.onnxruntime import set_seed
    >>> set_seed(1)
    """
    global _next
    with _lock:
        _next = seed % _MODULES * _MODULES


def next_seed() -> int:
    """Another one for each module: they do not drop the same elements."""
    global _next
    with _lock:
        seed = _next
        _next = (_next + 1) % (1 << 63)
    return seed
