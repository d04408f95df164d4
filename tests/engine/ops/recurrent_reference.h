// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/op_check.h"

namespace temper::test {

/// A recurrent node with random weights, sizes small enough for finite differences.
struct RecurrentCase {
    std::string op = "LSTM";
    std::string direction = "forward";
    int64_t time = 3;
    int64_t batch = 2;
    int64_t input = 2;
    int64_t hidden = 3;
    /// The largest weight. Large networks need small ones, such as 1 / sqrt(hidden), as frameworks
    /// choose them: otherwise they are chaotic, and rounding errors grow with each step.
    float largestWeight = 1;
    bool bias = true;
    bool initialStates = false;
    bool peepholes = false;
    std::vector<int32_t> lengths = {};
    /// ONNX's names, for all directions; alpha and beta by index, as in the node.
    std::vector<std::string> activations = {};
    std::vector<float> alphas = {};
    std::vector<float> betas = {};
    std::optional<float> clip = {};
    bool couplesInputForget = false;
    bool linearBeforeReset = false;
    bool batchFirst = false;
    /// The names of the outputs, "" for those that are left out.
    std::vector<std::string> outputs = {"y", "yh", "yc"};
    int64_t opset = 14;

    int64_t gates() const { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }
    int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
    OpCase node() const;
};

/// The formulas of ONNX's RNN, LSTM and GRU, evaluated one number at a time in double precision.
Results recurrentReference(const RecurrentCase& net);

}  // namespace temper::test
