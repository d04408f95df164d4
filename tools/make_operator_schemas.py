#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes engine/onnx/operator_schemas.inc: for each operator and version its inputs, outputs and
attributes, against which nodes are checked when a model is read; and engine/onnx/operator_types.inc:
the types that each takes, against which nodes are checked when they are written in an older opset.

ONNX's operators, all versions, are read from the installed Python package onnx (1.23 or later: it
knows opsets that distributions do not have yet), the others from ort_operators.py. The latter may
have attributes beside those listed, which "..." says.

usage: tools/make_operator_schemas.py > engine/onnx/operator_schemas.inc
       tools/make_operator_schemas.py --types > engine/onnx/operator_types.inc
       tools/make_operator_schemas.py --versions > tests/engine/ops/operator_table/onnx_versions.txt
"""
import re
import sys

import onnx
from onnx import TensorProto, defs

from ort_operators import OPERATORS

KINDS = {"INT": "i", "FLOAT": "f", "STRING": "s", "TENSOR": "t", "GRAPH": "g",
         "INTS": "I", "FLOATS": "F", "STRINGS": "S", "TYPE_PROTO": "T"}

# Temper's own, which its optimizer models have.
TEMPER = [
    ("temper", "OptimizerStep", 1, "_ _ _ _ _ _?", "_", "", ""),
]


def parameter(formal):
    option = str(formal.option).rsplit(".", 1)[-1]
    if option == "Variadic":
        return f"{formal.name}*{formal.min_arity}"
    return formal.name + ("?" if option == "Optional" else "")


def attribute(given):
    kind = KINDS.get(str(given.type).rsplit(".", 1)[-1])
    return f"{given.name}:{kind}{'!' if given.required else ''}" if kind else None


def signature(schema):
    attributes = [attribute(given) for _, given in sorted(schema.attributes.items())]
    return (" ".join(map(parameter, schema.inputs)), " ".join(map(parameter, schema.outputs)),
            " ".join(text for text in attributes if text))


def rows():
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain in ("", "ai.onnx.preview") and not schema.deprecated:
            operator = versions.setdefault((schema.domain, schema.name), {})
            operator[schema.since_version] = signature(schema)
    for (domain, name), operator in versions.items():
        grouped = {}
        for version in sorted(operator):
            grouped.setdefault(operator[version], []).append(str(version))
        for form, numbers in grouped.items():
            yield (domain, name, int(numbers[0]), " ".join(numbers), *form)
    for domain, name, version, inputs, outputs, attributes, _ in OPERATORS + TEMPER:
        yield (domain, name, version, str(version), inputs, outputs, f"{attributes} ...".strip())


# The names of types in schemas that the enumeration of ONNX writes another way.
ELEMENTS = {"FLOAT": "float", "DOUBLE": "double"}
ELEMENT_BITS = {ELEMENTS.get(name, name.lower()): 1 << number
                for name, number in TensorProto.DataType.items()}


def types(formal):
    """The types of a parameter: bits of element types, in hexadecimal digits, of tensors; after
    commas those of sequences and optionals if it takes such."""
    kinds = [0, 0, 0]
    for text in formal.types:
        wrappers, element = re.fullmatch(r"([a-z(]*)tensor\((\w+)\)\)*", text).groups()
        kind = 2 if "optional" in wrappers else 1 if "seq" in wrappers else 0
        kinds[kind] |= ELEMENT_BITS[element]
    digits = [f"{kind:x}" for kind in kinds]
    while digits[-1] == "0" and len(digits) > 1:
        digits.pop()
    return ",".join(digits)


def print_types():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Made by tools/make_operator_schemas.py --types.")
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":  # deprecated ones, too: models have them
            form = tuple(" ".join(map(types, part)) for part in (schema.inputs, schema.outputs))
            versions.setdefault(schema.name, {})[schema.since_version] = form
    for name in sorted(versions):
        last = None
        for version, form in sorted(versions[name].items()):
            if form != last:
                print(f'{{"{name}", {version}, "{form[0]}", "{form[1]}"}},')
            last = form


def print_versions():
    """Which versions of the opset changed each operator: the table of docs/operators.md has them."""
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions.setdefault(schema.name, []).append(schema.since_version)
    print("# The versions of each operator of ONNX's default domain, up to opset "
          f"{defs.onnx_opset_version()}.")
    print(f"# Source: the operator registry of ONNX {onnx.__version__}; made by "
          "tools/make_operator_schemas.py --versions.")
    for name in sorted(versions):
        print(name, *sorted(versions[name]))


def main():
    if sys.argv[1:] == ["--versions"]:
        return print_versions()
    if sys.argv[1:] == ["--types"]:
        return print_types()
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Made by tools/make_operator_schemas.py.")
    for domain, name, _, versions, *form in sorted(rows()):
        texts = ", ".join(f'"{text}"' for text in (domain, name, versions, *form))
        print("{" + texts + "},")


if __name__ == "__main__":
    main()
