// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "engine/runtime/kernel.h"

namespace temper {

/// Adds input 1 to input 0, a buffer of the same shape, or overwrites the buffer if input 2, a
/// bool, says so; then sets output 0, a bool, to true if it is present.
class AccumulatorKernel final : public Kernel {
public:
    static constexpr size_t kBuffer = 0, kValue = 1, kOverwrites = 2;

    /// `accumulate` does all of this.
    explicit AccumulatorKernel(std::unique_ptr<Kernel> accumulate)
        : accumulate_(std::move(accumulate)) {
        traits_ = accumulate_->traits();
    }

    void run(const RunContext& context) const override { accumulate_->run(context); }
    KernelCapabilities capabilities() const override { return {.accumulator = this}; }
    /// The same for a buffer that the value has already overwritten.
    static void tell(const RunContext& context) {
        if (bool* done = context.out<bool>(0)) *done = true;
    }

private:
    std::unique_ptr<Kernel> accumulate_;
};

}  // namespace temper
