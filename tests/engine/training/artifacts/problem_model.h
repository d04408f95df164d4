// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace temper::test {

/// A model in ONNX's text with five different problems, each with its own parameter: an unknown
/// operator, a rounding, a cast to integers, an ArgMax, a parameter that does not reach the loss;
/// followed by a chain of `layers` times MatMul, Add, Relu with trainable parameters.
/// make_problem_model.py writes the same as a file.
inline std::string problemModel(int layers) {
    const std::string matrix = "{1, 0, 0, 1}";
    std::string weights;
    for (const char* name : {"embed", "scale", "index_scale", "pick", "aux"}) {
        weights += std::string("float[2, 2] ") + name + " = " + matrix + ", ";
    }
    std::string nodes = R"(
        ["/embed/MatMul"] e = MatMul(x, embed)
        ["/embed/Mystery"] e2 = my.own.Mystery(e)
        ["/quant/MatMul"] s = MatMul(x, scale)
        ["/quant/Round"] r = Round(s)
        ["/index/MatMul"] i = MatMul(x, index_scale)
        ["/index/Cast"] ii = Cast<to = 7>(i)
        ["/index/Cast_1"] fi = Cast<to = 1>(ii)
        ["/pick/MatMul"] p = MatMul(x, pick)
        ["/pick/ArgMax"] pi = ArgMax<axis = -1, keepdims = 1>(p)
        ["/pick/Cast"] pf = Cast<to = 1>(pi)
        ["/aux/MatMul"] elsewhere = MatMul(x, aux)
        ["/Sum"] h0 = Sum(e2, r, fi, pf))";
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        weights += "float[2, 2] w" + n + " = " + matrix + ", float[2] b" + n + " = {0, 0}, ";
        nodes += "\n[\"/" + n + "/MatMul\"] m" + n + " = MatMul(h" + n + ", w" + n + ")" +
                 "\n[\"/" + n + "/Add\"] a" + n + " = Add(m" + n + ", b" + n + ")" + "\n[\"/" + n +
                 "/Relu\"] h" + std::to_string(i + 1) + " = Relu(a" + n + ")";
    }
    return "<ir_version: 8, opset_import: [\"\" : 17, \"my.own\" : 1]>"
           " problems (float[batch, 2] x) => (float[batch, 2] y) <" +
           weights + "float[2, 2] head = " + matrix + ", float[batch, 2] e2> {" + nodes +
           "\n[\"/head/MatMul\"] y = MatMul(h" + std::to_string(layers) + ", head)\n}";
}

}  // namespace temper::test
