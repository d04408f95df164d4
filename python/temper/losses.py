# SPDX-License-Identifier: Apache-2.0
"""Losses: one class for each that the engine has, made from its descriptions.

>>> import temper
>>> temper.losses.Huber(delta=0.5)
Huber(delta=0.5)
"""

from temper._choices import Formula, Loss, classes

_made = classes(Loss, __name__)
globals().update(_made)
__all__ = ["Formula", "Loss", *_made]


def __dir__() -> list[str]:
    return __all__
