#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the operator tests of the installed onnx package as folders with model.onnx and
test_data_set_*, as ONNX's own runner keeps them; tests/support/setup_onnx_tests.sh calls it.

usage: make_onnx_node_tests.py FOLDER
"""
import importlib
import pathlib
import pkgutil
import sys

import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case import node


def message_of(value, info):
    if isinstance(value, TensorProto):
        return value
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(value, info.name)


def write(case, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for stem, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for place, (value, info) in enumerate(zip(values, infos)):
                content = message_of(value, info).SerializeToString()
                (data / f"{stem}_{place}.pb").write_bytes(content)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for module in pkgutil.walk_packages(node.__path__, node.__name__ + "."):
        importlib.import_module(module.name)
    cases = node.collect_testcases(None)
    for case in cases:
        write(case, pathlib.Path(sys.argv[1]) / case.name)
    print(f"onnx {onnx.__version__}: {len(cases)} tests in {sys.argv[1]}")


if __name__ == "__main__":
    main()
