# SPDX-License-Identifier: Apache-2.0
"""What generate_artifacts() has to say, in the log "temper"."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from typing import Any

from temper import _temper

_LOG = logging.getLogger("temper")
_LOG.addHandler(logging.NullHandler())  # nothing is printed unless the program asks for it

_FILES = ("training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint")


def tell_choices(loss: Any, optimizer: Any) -> None:
    """Which loss and optimizer, a LossType, an OptimType or a block, the artifacts are for."""
    for what, chosen in (("loss", loss), ("optimizer", optimizer)):
        name = getattr(chosen, "name", None) or type(chosen).__name__
        _LOG.info("%s: %s", what, "none is added" if chosen is None else name)


def tell_findings(
    forward: _temper.Model, made: _temper.Artifacts, frozen: Iterable[str], outputs: Sequence[str]
) -> None:
    """Findings of the engine, and what happened without having been asked for.

    ``frozen`` are the names that the caller froze, ``outputs`` those that come with the loss.
    """
    for finding in made.findings:
        level = logging.INFO if finding.severity == "info" else logging.WARNING
        _LOG.log(level, "%s", finding)
    _tell_statistics(forward, set(frozen))
    _tell_opset(forward.opset, made.training_model.opset)
    if not outputs:
        _LOG.info(
            "The models return the loss only. Name other values in additional_output_names, or "
            "compute them with temper.Session(folder).eval_step(..., values=[...])."
        )


def _tell_statistics(forward: _temper.Model, frozen: set[str]) -> None:
    found = [
        parameter.name
        for parameter in forward.parameters
        if parameter.kind == "batch-norm statistic" and parameter.name not in frozen
    ]
    if found:
        _LOG.info(
            "Running statistics of batch normalizations, which training updates and no gradient "
            "changes: %s.",
            ", ".join(found),
        )


def _tell_opset(given: int, made: int) -> None:
    if given != made:
        _LOG.info("The model has opset %d; its artifacts have opset %d.", given, made)


def tell_replaced(folder: str, prefix: str) -> None:
    """Which files are there already, before they are written."""
    present = [name for name in _FILES if os.path.exists(os.path.join(folder, prefix + name))]
    if present:
        _LOG.info("Files in '%s' are replaced: %s.", folder, ", ".join(present))


def tell_saved(folder: str, prefix: str) -> None:
    """Where the files are."""
    _LOG.info("The artifacts are written: '%s*'.", os.path.join(folder, prefix))
