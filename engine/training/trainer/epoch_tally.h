// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/runs/run_event.h"

namespace temper {

/// Sums up the steps of the current epoch.
class EpochTally {
public:
    /// Discards what was noted before.
    void begin() { *this = EpochTally(); }

    void note(const StepEvent& step) {
        lossSum_ += step.loss * static_cast<double>(step.samples);
        samples_ += step.samples;
    }

    /// Epoch number `epoch` ends after that step, the next one begins.
    EpochEvent finish(int64_t epoch, int64_t step) {
        const std::chrono::duration<double> taken = Clock::now() - begin_;
        EpochEvent event;
        event.epoch = epoch;
        event.step = step;
        event.meanLoss = lossSum_ / static_cast<double>(samples_);
        event.seconds = taken.count();
        begin();
        return event;
    }

private:
    using Clock = std::chrono::steady_clock;

    double lossSum_ = 0;
    int64_t samples_ = 0;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace temper
