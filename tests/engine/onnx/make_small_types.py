# SPDX-License-Identifier: Apache-2.0
"""Makes data/small_types.onnx: an initializer of seven elements for each element type below 16 bits,
`<type>_raw` with packed bytes and `<type>_field` with numbers. Needs onnx 1.22 or newer.

    python3 tests/engine/onnx/make_small_types.py
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = ["FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4",
         "FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2"]
NUMBERS = {"UINT4": [0, 15, 7, 8, 1, 9, 3], "INT4": [0, -8, 7, -1, 1, 5, -3],
           "UINT2": [0, 3, 1, 2, 2, 0, 3], "INT2": [0, -2, 1, -1, 1, -2, -1],
           "FLOAT8E8M0": [1, 2, 0.5, 4, 0.25, 1024, 8]}


def main():
    tensors, inputs = [], []
    for name in TYPES:
        element = getattr(TensorProto, name)
        numbers = np.array(NUMBERS.get(name, [0, 1, -1.5, 0.5, 6, -4, 3]), np.float32)
        values = numbers.astype(helper.tensor_dtype_to_np_dtype(element))
        tensors.append(numpy_helper.from_array(values, name.lower() + "_raw"))
        field = TensorProto(name=name.lower() + "_field", data_type=element, dims=[7])
        raw = tensors[-1].raw_data
        field.int32_data.extend(raw)
        tensors.append(field)
    nodes = [helper.make_node("Identity", [tensor.name], [tensor.name + "_out"])
             for tensor in tensors]
    outputs = [helper.make_tensor_value_info(tensor.name + "_out", tensor.data_type, [7])
               for tensor in tensors]
    graph = helper.make_graph(nodes, "small_types", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=14)
    onnx.checker.check_model(model)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/small_types.onnx")
    onnx.save(model, path)


if __name__ == "__main__":
    main()
