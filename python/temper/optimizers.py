# SPDX-License-Identifier: Apache-2.0
"""Optimizers: one class for each that the engine has, made from its descriptions.

>>> import temper
>>> temper.optimizers.SGD(lr=0.5).key
'sgd'
"""

from temper._choices import Optimizer, classes

_made = classes(Optimizer, __name__)
globals().update(_made)
__all__ = ["Optimizer", *_made]


def __dir__() -> list[str]:
    return __all__
