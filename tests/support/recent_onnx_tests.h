// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>

namespace temper::test {

/// The operator tests of ONNX 1.23, from tests/support/setup_onnx_tests.sh or the folder
/// TEMPER_ONNX_NODE_TESTS; empty if they are not installed.
inline std::filesystem::path recentOnnxTests() {
    const char* given = std::getenv("TEMPER_ONNX_NODE_TESTS");
    const std::filesystem::path folder =
        given != nullptr ? given : TEMPER_SOURCE_DIR "/build/onnx-tests/node";
    return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

}  // namespace temper::test
