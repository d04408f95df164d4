// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/runs/run_event.h"

namespace temper {

/// Optimizer steps in few bytes: each holds how it differs from the one before, so they are
/// unpacked in the order in which they were packed. Every bit of every number comes back.
class StepPacking {
public:
    std::string pack(double time, const StepEvent& step);
    /// Throws: Error(InvalidInput) for bytes that pack() does not make.
    RunEvent unpack(std::string_view bytes);

private:
    StepEvent last_;
    double lastTime_ = 0;
    double epochGain_ = 0;  ///< of the last step
};

}  // namespace temper
