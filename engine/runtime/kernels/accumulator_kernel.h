// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "engine/runtime/kernel.h"

namespace temper {

/// Adds input 1 to input 0, a buffer of the same shape, or overwrites the buffer where input 2, a
/// bool, says so; then output 0, a bool if it is there, is true.
class AccumulatorKernel final : public Kernel {
public:
    static constexpr size_t kBuffer = 0, kValue = 1, kOverwrites = 2;

    /// `accumulate` does all of it.
    explicit AccumulatorKernel(std::unique_ptr<Kernel> accumulate)
        : accumulate_(std::move(accumulate)) {
        traits_ = accumulate_->traits();
    }

    void run(const RunContext& context) const override { accumulate_->run(context); }
    KernelCapabilities capabilities() const override { return {.accumulator = this}; }
    /// The same for a buffer that has been overwritten by the value already.
    static void tell(const RunContext& context) {
        if (bool* done = context.out<bool>(0)) *done = true;
    }

private:
    std::unique_ptr<Kernel> accumulate_;
};

}  // namespace temper
