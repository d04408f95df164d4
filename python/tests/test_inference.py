# SPDX-License-Identifier: Apache-2.0
"""temper.InferenceSession, called as that of ONNX Runtime."""

from __future__ import annotations

import numpy

import temper


def test_inference_takes_the_arguments_of_onnxruntime(
    mlp: temper.Model, x: numpy.ndarray
) -> None:
    session = temper.InferenceSession(mlp, providers=["CPUExecutionProvider"])
    assert session.run("logits", {"x": x}, None)[0].shape == (16, 3)
    assert [each.type for each in session.get_inputs()] == ["tensor(float)"]
