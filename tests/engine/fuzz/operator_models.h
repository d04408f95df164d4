// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace temper::test {

/// A model made from one of ONNX's operator tests.
struct OperatorModel {
    std::string name;   ///< "test_abs, weighted"
    std::string bytes;  ///< serialized
};

/// Three models for each test below the folder: "weighted", whose inputs are data, the first one of
/// float32 multiplied by a weight; "constants", the same with the other inputs as initializers with
/// the recorded data; "folded", with all inputs as initializers and no data. Sequences and optional
/// values remain inputs. Models larger than `most` bytes are left out. Sorted by name.
std::vector<OperatorModel> operatorModels(const std::filesystem::path& folder, size_t most);

/// The operator tests that are installed: those of libonnx-testdata and those of ONNX 1.23.
std::vector<std::filesystem::path> operatorTests();

}  // namespace temper::test
