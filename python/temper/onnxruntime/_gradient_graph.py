# SPDX-License-Identifier: Apache-2.0
"""GradientGraphBuilder, which ONNX Runtime has in onnxruntime.capi._pybind_state."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from temper import _temper
from temper._errors import ArgumentTypeError
from temper._files import path_of


class GradientGraphBuilder:
    """Extends a model to compute gradients: an output ``<x>_grad`` for each x.

    Gradients start from the values ``y_node_arg_names``: the loss's is 1, each other one is a new
    input ``<y>_grad``. Without a loss pass an empty text.

    >>> import temper
    >>> from temper.onnxruntime._gradient_graph import GradientGraphBuilder
    >>> model = temper.open(mlp_path).to_bytes()
    >>> builder = GradientGraphBuilder(model, {"logits"}, {"x", "fc2.bias"}, "")
    >>> builder.build()
    >>> [value.name for value in temper.open(builder.get_model()).outputs]
    ['logits', 'fc2.bias_grad', 'x_grad']
    """

    def __init__(
        self,
        serialized_model: bytes,
        y_node_arg_names: Iterable[str],
        x_node_arg_names: Iterable[str],
        loss_node_arg_name: str,
        options: Any = None,
    ) -> None:
        if not isinstance(serialized_model, bytes):
            raise ArgumentTypeError(
                f"Expected the bytes of a model; found {type(serialized_model).__name__}.",
                "Pass model.SerializeToString().",
            )
        self._builder = _temper.GradientGraph(
            _temper.parse_model(serialized_model),
            _ordered(y_node_arg_names),
            _ordered(x_node_arg_names),
            loss_node_arg_name,
        )

    def build(self) -> None:
        """Adds the gradients. Raises UnsupportedError for an operator without one."""
        self._builder.build()

    def get_model(self) -> bytes:
        """The model as the bytes of a file."""
        return self._builder.model().to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model."""
        self._builder.model().save(path_of(path, "gradient model"))


def _ordered(names: Iterable[str]) -> list[str]:
    """Sets have no order, but models do."""
    return sorted(names) if isinstance(names, (set, frozenset)) else list(names)
