# SPDX-License-Identifier: Apache-2.0
"""Losses as blocks."""

from temper.onnxruntime.training.onnxblock.loss.loss import (
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    L1Loss,
    MSELoss,
)

__all__ = ["BCEWithLogitsLoss", "CrossEntropyLoss", "L1Loss", "MSELoss"]
