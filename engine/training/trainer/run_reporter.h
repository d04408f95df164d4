// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

#include "engine/core/error.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/trainer/trainer.h"

namespace temper {

/// Reports what happens in a run, with the seconds since it began.
class RunReporter {
public:
    /// The state has to outlive it.
    RunReporter(TrainerCallback callback, const CheckpointState& state)
        : callback_(std::move(callback)), state_(state) {}

    /// The run begins now.
    void begin() { begin_ = Clock::now(); }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
    /// Completed optimizer steps.
    int64_t step() const { return state_.optimizerState().step; }

    void emit(RunFact fact) const { callback_({seconds(), std::move(fact)}); }
    void emitCheckpoint(const char* kind, const std::filesystem::path& path) const {
        emit(CheckpointEvent{step(), kind, path.string()});
    }

    /// For work that may fail without ending the run: its error becomes a warning.
    template <typename F>
    void warnOfErrors(F&& action) const {
        try {
            action();
        } catch (const Error& error) {
            emit(WarningEvent{step(), error.what(), error.hint()});
        }
    }

private:
    using Clock = std::chrono::steady_clock;

    TrainerCallback callback_;
    const CheckpointState& state_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace temper
