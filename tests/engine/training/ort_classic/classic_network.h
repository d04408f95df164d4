// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// Arrays that make_classic_golden.py computed with PyTorch.
inline Arrays classicGolden() {
    return readNpz(TEMPER_SOURCE_DIR "/tests/engine/training/ort_classic/classic_golden.npz");
}

/// The network of make_classic_golden.py: scores and energy from hidden values h, and the loss.
inline std::unique_ptr<Graph> classicNetwork(const Arrays& golden) {
    auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        network (float[N, 4] x, float[N, 2] target,
                 float[4, 5] w1, float[5] b1, float[5, 2] w2, float[2] b2)
             => (float[N, 2] scores, float[N] energy, float loss)
            <int64[1] axis = {1}> {
            a = MatMul(x, w1)
            c = Add(a, b1)
            h = Tanh(c)
            s = MatMul(h, w2)
            scores = Add(s, b2)
            hh = Mul(h, h)
            energy = ReduceSum<keepdims = 0>(hh, axis)
            d = Sub(scores, target)
            dd = Mul(d, d)
            loss = ReduceMean<keepdims = 0>(dd)
        })");
    for (const char* name : {"w1", "b1", "w2", "b2"}) {
        graph->inputToInitializer(graph->at(name), golden.at("initial/" + std::string(name)));
    }
    return graph;
}

/// A slice [i] of the first dimension.
inline Tensor sliceOf(const Tensor& tensor, int64_t i) {
    Shape shape(tensor.shape().begin() + 1, tensor.shape().end());
    const auto size = static_cast<size_t>(numElements(shape));
    return Tensor::of<float>(shape,
                             tensor.values<float>().subspan(static_cast<size_t>(i) * size, size));
}

}  // namespace temper::test
