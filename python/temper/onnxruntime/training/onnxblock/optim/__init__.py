# SPDX-License-Identifier: Apache-2.0
"""Optimizers as blocks: they make optimizer models."""

from temper.onnxruntime.training.onnxblock.optim.optim import SGD, AdamW, ClipGradNorm

__all__ = ["SGD", "AdamW", "ClipGradNorm"]
