// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/file.h"
#include "engine/training/monitors/step_profiler.h"
#include "engine/training/trainer/trainer.h"

namespace temper::python {

/// What all calls of an operator cost in a training step.
struct OperatorCost {
    std::string op;  ///< qualified
    int64_t calls = 0;
    double seconds = 0;
    int64_t flops = 0;
    int64_t bytes = 0;
    double leastSeconds = 0;  ///< below which the machine can't do it
};

/// The profile of a run: a Chrome trace of some of its steps, and the cost of their operators.
class FitProfile {
public:
    /// Throws: Error(Io) naming a file that can't be written.
    explicit FitProfile(const std::filesystem::path& trace);

    /// Before the run.
    void watch(Trainer& trainer) { trainer.profileSteps(profiler_); }
    /// After the run, whatever its outcome: writes the trace.
    /// Returns: the slowest operator first; none if no step was profiled. Throws: Error(Io).
    std::vector<OperatorCost> finish(const TrainingSession& session);

private:
    AtomicFile trace_;
    StepProfiler profiler_;
};

}  // namespace temper::python
