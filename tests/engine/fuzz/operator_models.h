// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace temper::test {

/// A model made of one of ONNX's operator tests.
struct OperatorModel {
    std::string name;   ///< "test_abs, weighted"
    std::string bytes;  ///< serialized
};

/// Three models for each test below the folder (the node tests of libonnx-testdata): "weighted",
/// its inputs are data and the first of floating-point numbers is multiplied by a weight;
/// "constants", the same, and the others are initializers with the recorded data; "folded", all
/// are, and nothing is data. Tests whose inputs are no tensors give the model as it is.
/// Larger ones than `most` bytes are left out. In the order of their names.
std::vector<OperatorModel> operatorModels(const std::filesystem::path& folder, size_t most);

}  // namespace temper::test
