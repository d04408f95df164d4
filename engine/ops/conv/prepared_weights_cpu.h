// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "engine/core/tensor.h"
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
    const float* get(std::byte* scratch, F prepare) const {
        if (!areConstant_) {
            auto* prepared = reinterpret_cast<float*>(scratch + offset_);
            prepare(prepared);
            return prepared;
        }
        std::call_once(once_, [&] {
            constant_ = allocateAligned(bytes_);
            prepare(reinterpret_cast<float*>(constant_.get()));
        });
        return reinterpret_cast<const float*>(constant_.get());
    }

private:
    size_t bytes_;
    bool areConstant_;
    size_t offset_;
    mutable std::once_flag once_;
    mutable std::shared_ptr<std::byte> constant_;
};

}  // namespace temper
