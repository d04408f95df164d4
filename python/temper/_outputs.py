# SPDX-License-Identifier: Apache-2.0
"""What a step computes."""

from __future__ import annotations

from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]


class Outputs(dict[str, Array]):
    """What a step computed: arrays by name, in the model's order. They are the caller's own.

    >>> import numpy, temper
    >>> made = temper.artifacts(mlp_path, extra_outputs=["logits"])
    >>> x, labels = numpy.zeros([8, 4], numpy.float32), numpy.zeros([8], numpy.int64)
    >>> outputs = temper.Session(made).train_step(x, labels)
    >>> outputs.loss > 0, outputs["logits"].shape
    (True, (8, 3))
    """

    @property
    def loss(self) -> float:
        """The first output."""
        return float(next(iter(self.values())).item())
