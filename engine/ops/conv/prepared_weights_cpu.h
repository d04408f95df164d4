// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/runtime/cpu/filled_once.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {

/// Weights in the order in which a pass reads them: made in each run, or once if they are constant.
/// Runs may overlap, each with its own scratch memory.
class PreparedWeights {
public:
    PreparedWeights(int64_t floats, bool areConstant, ScratchLayout& scratch)
        : bytes_(static_cast<size_t>(floats) * sizeof(float)),
          areConstant_(areConstant),
          offset_(areConstant ? 0 : scratch.add(bytes_)) {}

    /// Calls `prepare(to)` if it is time.
    template <typename F>
    float* get(std::byte* scratch, F prepare) const {
        const auto fill = [&](std::byte* to) { prepare(reinterpret_cast<float*>(to)); };
        std::byte* prepared = areConstant_ ? constant_.get(bytes_, fill) : scratch + offset_;
        if (!areConstant_) fill(prepared);
        return reinterpret_cast<float*>(prepared);
    }

private:
    size_t bytes_;
    bool areConstant_;
    size_t offset_;
    FilledOnce constant_;
};

}  // namespace temper
