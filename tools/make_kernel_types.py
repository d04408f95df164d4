#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes engine/ort/kernel_types_table.inc: for each operator and version, which inputs and outputs
each of its type constraints binds, as models in ORT format state it for the lookup of kernels.

ONNX's operators are read from the installed Python package onnx (1.23 or later, as for
make_operator_schemas.py), the others from ort_operators.py.

usage: tools/make_kernel_types.py > engine/ort/kernel_types_table.inc
"""
import onnx

from ort_operators import OPERATORS


def is_known(schema):
    """To ONNX Runtime 1.19, whose training build reads these models: it has opset 21, and ONNX
    deprecated GroupNormalization of opset 18 only later."""
    return (schema.domain == "" and schema.since_version <= 21
            and (not schema.deprecated or schema.name == "GroupNormalization"))


def signature(schema):
    """"T i0 i1 o0; axes i2": arguments of a fixed type are named by themselves."""
    constraints = {c.type_param_str for c in schema.type_constraints}
    bound = {}
    for kind, formals in (("i", schema.inputs), ("o", schema.outputs)):
        for index, formal in enumerate(formals):
            key = formal.type_str if formal.type_str in constraints else formal.name
            bound.setdefault(key, []).append(f"{kind}{index}")
    return "; ".join(f"{key} {' '.join(args)}" for key, args in sorted(bound.items()))


def operators():
    """Domain and name of each operator, with the signatures of its versions."""
    history = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if is_known(schema):
            versions = history.setdefault(("", schema.name), {})
            versions[schema.since_version] = signature(schema)
    for domain, name, version, *_, types in OPERATORS:
        history[domain, name] = {version: types}
    return history


def rows():
    for (domain, name), history in sorted(operators().items()):
        grouped = []
        for version, text in sorted(history.items()):
            if grouped and grouped[-1][1] == text:
                grouped[-1][0].append(version)
            else:
                grouped.append(([version], text))
        for versions, text in grouped:
            yield f'{{"{domain}", "{name}", "{" ".join(map(str, versions))}", "{text}"}},'


print("// SPDX-License-Identifier: Apache-2.0")
print("// Made by tools/make_kernel_types.py.")
print("\n".join(rows()))
