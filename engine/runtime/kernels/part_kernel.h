// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/runtime/kernel.h"

namespace temper {

/// A kernel that copies parts of an array, each of them contiguous bytes: out of its input 0
/// (Slice, Split), or into its output 0 (Concat). A plan may place parts in the array itself; what
/// is there is not copied.
class PartKernel final : public Kernel {
public:
    enum class Direction { OutOfWhole, IntoWhole };

    struct Part {
        size_t operand = 0;  ///< the output, or, if it goes into the whole, the input
        size_t begin = 0;    ///< bytes of the whole before it
        size_t bytes = 0;
    };

    PartKernel(Direction direction, std::vector<Part> parts)
        : direction_(direction), parts_(std::move(parts)) {}

    Direction direction() const { return direction_; }
    const std::vector<Part>& parts() const { return parts_; }

    void run(const RunContext& context) const override {
        for (const Part& part : parts_) {
            if (direction_ == Direction::OutOfWhole) {
                copy(context.in<std::byte>(0) + part.begin, context.out<std::byte>(part.operand),
                     part.bytes, context.pool());
            } else {
                copy(context.in<std::byte>(part.operand), context.out<std::byte>(0) + part.begin,
                     part.bytes, context.pool());
            }
        }
    }
    KernelCapabilities capabilities() const override { return {.parts = this}; }

private:
    static void copy(const std::byte* from, std::byte* to, size_t bytes, ThreadPool& pool) {
        constexpr int64_t kBytesOfTask = int64_t{1} << 16;
        if (from == to) return;
        pool.forRanges(static_cast<int64_t>(bytes), kBytesOfTask, [&](int64_t begin, int64_t end) {
            std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
        });
    }

    Direction direction_;
    std::vector<Part> parts_;
};

}  // namespace temper
