// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace temper {

/// Memory for numbers that is kept from use to use and begins at a cache line: vectors that cross
/// lines are read at half the speed.
class LineAligned {
public:
    /// Room for `count` numbers, whose values are undefined; room given before is invalid then.
    float* room(int64_t count) {
        constexpr size_t kLine = 64;
        const size_t needed = static_cast<size_t>(count) + kLine / sizeof(float);
        if (memory_.size() < needed) memory_ = std::vector<float>(needed);
        const auto misaligned = reinterpret_cast<uintptr_t>(memory_.data()) % kLine;
        return memory_.data() + (kLine - misaligned) % kLine / sizeof(float);
    }

private:
    std::vector<float> memory_;
};

}  // namespace temper
