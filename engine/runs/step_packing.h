// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/runs/run_event.h"

namespace temper {

/// Packs optimizer steps into few bytes: each is stored as its difference from the one before, so
/// they are unpacked in the order in which they were packed. Every bit of every number is
/// preserved.
class StepPacking {
public:
    std::string pack(double time, const StepEvent& step);
    /// Throws: Error(InvalidInput) for bytes that pack() does not produce.
    RunEvent unpack(std::string_view bytes);

private:
    StepEvent last_;
    double lastTime_ = 0;
    double epochGain_ = 0;  ///< of the last step
};

}  // namespace temper
