#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes function_opsets_golden.json: models whose functions import other versions of ONNX's
operators than the model does, and their results.

ONNX's own inliner converts the nodes of each function to the opset of the model (convert_version);
ONNX Runtime, which does not convert functions itself, runs the result. If the inliner can not, the
model's own nodes mean the same in the opset of the function, and the whole is run in that opset.

usage: make_function_opsets_golden.py > function_opsets_golden.json (onnx 1.23, onnxruntime 1.32)
"""
import json

import numpy as np
import onnx
import onnx.inliner
import onnx.parser
import onnxruntime


def text(opset, graph, *functions):
    parts = [f'<ir_version: 8, opset_import: ["" : {opset}, "local" : 1]>', graph]
    for version, function in functions:
        parts.append(f'<domain: "local", opset_import: ["" : {version}, "local" : 1]> {function}')
    return "\n".join(parts)


CALL = "m (float[2, 3, 4] x) => (float[N, A, B] y) { y = local.f(x) }"

# Name: the model; the opset that it is run in if it is not converted.
MODELS = {
    "rows of an old softmax": (text(17, CALL, (11, "f (a) => (b) { b = Softmax(a) }")), None),
    "a softmax over the last axis in an old model": (text(
        11, "m (float[2, 3, 4] x) => (float[2, 3, 4] y) <float[2, 3, 4] h> "
            "{ h = local.f(x) y = Softmax(h) }",
        (13, "f (a) => (b) { b = Softmax(a) }")), None),
    "attributes that became inputs": (text(17, CALL, (9, """f (a) => (b) {
        c = Clip<min = -0.5, max = 0.75>(a)
        p = Pad<pads = [0, 1, 0, 0, 0, 1], value = 2.0>(c)
        s = Slice<axes = [2], starts = [1], ends = [5]>(p)
        u = Unsqueeze<axes = [0]>(s)
        r = ReduceSum<axes = [2], keepdims = 1>(u)
        q = Squeeze<axes = [0]>(r)
        b = Add(q, s)
    }""")), None),
    "parts": (text(17, "m (float[2, 3, 4] x) => (float[2, 3, 1] y, float[2, 3, 3] z) "
                       "{ y, z = local.f(x) }",
                   (11, "f (a) => (b, c) { b, c = Split<axis = -1, split = [1, 3]>(a) }")), None),
    "means of a newer opset": (text(
        13, "m (float[2, 3, 4] x) => (float[2, 3, 4] y) "
            "<float[2, 3, 1] h> { h = local.f(x) k = ReduceMean<axes = [1]>(x) y = Add(h, k) }",
        (18, """f (a) => (b) { i = Constant<value = int64[1] {2}>() b = ReduceMean(a, i) }""")),
        None),
    "a function in a function": (text(
        17, "m (float[2, 3, 4] x) => (float[2, 1, 4] y) <float[2, 1, 4] h> "
            "{ h = local.f(x) y = Tanh(h) }",
        (17, "f (a) => (b) { c = Abs(a) b = local.g(c) }"),
        (11, "g (a) => (b) { b = ReduceSum<axes = [1]>(a) }")), None),
    "two calls": (text(
        12, "m (float[2, 3, 4] x) => (float[2, 12] y) <float[2, 3, 4] h, float[2, 3, 4] g> "
            "{ h = local.f(x) g = local.f(h) y = Flatten(g) }",
        (16, "f (a) => (b) { c = Softmax<axis = 1>(a) b = HardSwish(c) }")), 16),
    "an operator that is new": (text(
        17, "m (float[2, 3, 4] x) => (float[2, 3, 4] y) { h = local.f(x) y = Tanh(h) }",
        (20, "f (a) => (b) { b = Gelu<approximate = \"tanh\">(a) }")), 20),
    "groups with a scale for each": (text(
        21, "m (float[2, 4, 3] x) => (float[2, 4, 3] y) "
            "{ s = Constant<value = float[2] {0.5, 1.5}>() "
            "t = Constant<value = float[2] {0.25, -0.75}>() y = local.f(x, s, t) }",
        (18, "f (a, s, t) => (b) { b = GroupNormalization<num_groups = 2>(a, s, t) }")), 18),
    "a larger image": (text(
        17, "m (float[1, 1, 2, 3] x) => (float[1, 1, 4, 6] y) { y = local.f(x) }",
        (9, "f (a) => (b) { s = Constant<value = float[4] {1.0, 1.0, 2.0, 2.0}>() "
            "b = Upsample<mode = \"nearest\">(a, s) }")), None),
    "attributes of the call": (text(
        17, "m (float[2, 3, 4] x) => (float[N, A, B] y) { y = local.f<place = 2>(x) }",
        (11, "f <place> (a) => (b) { b = LogSoftmax<axis: int = @place>(a) }")), None),
}


def converted(model, opset):
    if opset is not None:
        model.opset_import[0].version = opset
    return onnx.inliner.inline_local_functions(model, opset is None)


def main():
    cases = []
    for index, (name, (model, opset)) in enumerate(MODELS.items()):
        proto = converted(onnx.parser.parse_model(model), opset)
        session = onnxruntime.InferenceSession(proto.SerializeToString(),
                                               providers=["CPUExecutionProvider"])
        shape = session.get_inputs()[0].shape
        x = np.random.default_rng(index).normal(size=shape).astype(np.float32)
        names = [output.name for output in session.get_outputs()]
        outputs = {name: {"shape": list(y.shape), "values": y.ravel().tolist()}
                   for name, y in zip(names, session.run(None, {"x": x}))}
        cases.append({"name": name, "model": model, "outputs": outputs,
                      "x": {"shape": shape, "values": x.ravel().tolist()}})
    print(json.dumps({"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__,
                      "cases": cases}, indent=1))


if __name__ == "__main__":
    main()
