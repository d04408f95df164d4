// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/runtime/kernel.h"

namespace temper {

/// The side of a kernel that computes any part of its outputs separately, from the same part of
/// the inputs that have as many elements, and from any of the smaller ones.
class PartwiseKernel {
public:
    PartwiseKernel() = default;
    PartwiseKernel(const PartwiseKernel&) = delete;
    PartwiseKernel& operator=(const PartwiseKernel&) = delete;

    /// Of each output.
    virtual int64_t elements() const = 0;
    /// Elements [begin, end) of the outputs, on the calling thread.
    virtual void runPart(const RunContext& context, int64_t begin, int64_t end) const = 0;

protected:
    ~PartwiseKernel() = default;
};

}  // namespace temper
