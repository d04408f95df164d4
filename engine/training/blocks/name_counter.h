// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace temper {

/// Names `onnx::<token>::<n>` with one counter per model, as ORT's generator makes them.
/// Source: spec/artifacts.md section 3.
class NameCounter {
public:
    std::string next(const std::string& token) {
        return "onnx::" + token + "::" + std::to_string(++last_);
    }
    /// Skips numbers that ORT's generator spends on unused options.
    void skip(int64_t count) { last_ += count; }

private:
    int64_t last_ = 0;
};

}  // namespace temper
