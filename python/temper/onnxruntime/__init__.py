# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's on-device training, by its own names, on Temper's engine.

To change one import: ``from temper.onnxruntime.training import api, artifacts``. To change none,
call temper.as_onnxruntime_training() first.
"""

from temper.onnxruntime._seed import set_seed

__all__ = ["set_seed"]
