// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/runtime/profile.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Profiles some steps of a run, with their timeline: twenty after the first ten, in which plans
/// are compiled and caches filled; all steps if a run has no more than these thirty.
/// Thread: one at a time.
class StepProfiler {
public:
    /// While it lives, the session's kernel calls are profiled as those of an optimizer step, if it
    /// is among the chosen steps. `profiler` may be null.
    class Scope {
    public:
        Scope(StepProfiler* profiler, TrainingSession& session, int64_t step);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        StepProfiler* profiler_;  ///< null: profiling is off
        TrainingSession& session_;
        int64_t step_;
        Profile::Clock::time_point begin_;
    };

    /// Call it at the start of a run of this many steps.
    void begin(int64_t steps);

    const Profile& profile() const { return profile_; }
    /// The number of profiled steps.
    int64_t steps() const { return static_cast<int64_t>(profile_.spans().size()); }

private:
    bool isTurn();

    Profile profile_;
    int64_t skipped_ = 0;
    int64_t seen_ = 0;  ///< steps since begin()
};

}  // namespace temper
