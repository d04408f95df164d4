# SPDX-License-Identifier: Apache-2.0
"""What the scripts share: command line, arrays, feeds, models, checkpoints, and ONNX Runtime
itself."""
