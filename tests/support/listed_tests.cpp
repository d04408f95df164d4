// SPDX-License-Identifier: Apache-2.0
#include "tests/support/listed_tests.h"

#include <filesystem>
#include <fstream>

namespace temper::test {

std::map<std::string, std::string> listedOnnxTests(const std::string& name) {
    const std::string version = " (libonnx " TEMPER_LIBONNX_VERSION ")";
    std::ifstream file(std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops" / name);
    std::map<std::string, std::string> list;
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(": ");
        if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
        std::string test = line.substr(0, colon);
        if (test.ends_with(version)) test.resize(test.size() - version.size());
        if (!test.ends_with(')')) list[test] = line.substr(colon + 2);
    }
    return list;
}

const std::map<std::string, std::string>& knownOnnxFailures() {
    static const auto known = listedOnnxTests("known_failures.txt");
    return known;
}

}  // namespace temper::test
