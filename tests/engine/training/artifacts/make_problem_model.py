#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model with five different problems, to see what the report says about it.

    tests/engine/training/artifacts/make_problem_model.py FILE.onnx [LAYERS]

An unknown operator, a rounding, a cast to integers, an ArgMax and a parameter that does not reach
the loss, each with its own parameter, followed by LAYERS (default 2) times MatMul, Add, Relu. Needs
Debian's python3-onnx.
"""

import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save


def tensor(name, *shape):
    return numpy_helper.from_array(np.eye(*shape, dtype=np.float32), name)


def main(path, layers):
    node = helper.make_node
    names = ["embed", "scale", "index_scale", "pick", "aux", "head"]
    weights = [tensor(name, 2, 2) for name in names]
    nodes = [
        node("MatMul", ["x", "embed"], ["e"], "/embed/MatMul"),
        node("Mystery", ["e"], ["e2"], "/embed/Mystery", domain="my.own"),
        node("MatMul", ["x", "scale"], ["s"], "/quant/MatMul"),
        node("Round", ["s"], ["r"], "/quant/Round"),
        node("MatMul", ["x", "index_scale"], ["i"], "/index/MatMul"),
        node("Cast", ["i"], ["ii"], "/index/Cast", to=TensorProto.INT64),
        node("Cast", ["ii"], ["fi"], "/index/Cast_1", to=TensorProto.FLOAT),
        node("MatMul", ["x", "pick"], ["p"], "/pick/MatMul"),
        node("ArgMax", ["p"], ["pi"], "/pick/ArgMax", axis=-1, keepdims=1),
        node("Cast", ["pi"], ["pf"], "/pick/Cast", to=TensorProto.FLOAT),
        node("MatMul", ["x", "aux"], ["elsewhere"], "/aux/MatMul"),
        node("Sum", ["e2", "r", "fi", "pf"], ["h0"], "/Sum"),
    ]
    for i in range(layers):
        weights += [tensor(f"w{i}", 2, 2), numpy_helper.from_array(np.zeros(2, np.float32), f"b{i}")]
        nodes += [
            node("MatMul", [f"h{i}", f"w{i}"], [f"m{i}"], f"/{i}/MatMul"),
            node("Add", [f"m{i}", f"b{i}"], [f"a{i}"], f"/{i}/Add"),
            node("Relu", [f"a{i}"], [f"h{i + 1}"], f"/{i}/Relu"),
        ]
    nodes.append(node("MatMul", [f"h{layers}", "head"], ["y"], "/head/MatMul"))
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 2])
    graph = helper.make_graph(nodes, "problems", [value("x")], [value("y")], weights,
                              value_info=[value("e2")])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.own", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2)
