# SPDX-License-Identifier: Apache-2.0
"""Schedules of the learning rate: one class for each that the engine has.

>>> import temper
>>> temper.schedules.Linear().rate(5, lr=1.0, total_steps=10)
0.5
"""

from temper._choices import Schedule, classes

_made = classes(Schedule, __name__)
globals().update(_made)
__all__ = ["Schedule", *_made]


def __dir__() -> list[str]:
    return __all__
