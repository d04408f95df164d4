# SPDX-License-Identifier: Apache-2.0
"""Schedules of the learning rate: one class for each that the engine has, made from its descriptions."""

from temper._choices import Schedule, classes

_made = classes(Schedule, __name__)
globals().update(_made)
__all__ = ["Schedule", *_made]


def __dir__() -> list[str]:
    return __all__
