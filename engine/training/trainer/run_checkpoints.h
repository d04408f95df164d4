// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/training/parallel/shared_state.h"
#include "engine/training/spec/run_spec.h"
#include "engine/training/trainer/checkpoint_keeper.h"
#include "engine/training/trainer/run_reporter.h"

namespace temper {

/// Writes the checkpoints that a run's specification requests, and reports each. A failed write
/// does not end the run, except for the very last checkpoint.
class RunCheckpoints {
public:
    /// All of them have to outlive it. `shared`: null if the state is whole; else all ranks call
    /// the functions that save, and rank 0 writes.
    RunCheckpoints(CheckpointState& state, const RunSpec& spec, const RunReporter& reporter,
                   SharedState* shared = nullptr);

    CheckpointKeeper& keeper() { return keeper_; }
    const ProgressRule& rule() const { return keeper_.rule(); }

    /// Before the first step: restores the list of the best ones, without those that are now
    /// surplus.
    void restoreBest();
    /// A run that starts over may replace the checkpoints of another.
    void warnOfReplaced() const;
    /// After an evaluation with this value.
    void saveBest(const Progress& progress, double value);
    /// When it is time.
    void saveRegularly();
    void savePause();
    /// On request.
    void saveTo(const std::filesystem::path& path);
    /// Throws: Error(Io).
    void saveLast();
    /// Whether ranks have parts of the state.
    bool isShared() const { return shared_ != nullptr; }
    /// Takes part in a save of rank 0.
    void helpToSave() { const GatheredState gathered(shared_, false); }

private:
    void writeLast();
    void removeSurplus();

    CheckpointState& state_;
    const RunSpec& spec_;
    const RunReporter& reporter_;
    SharedState* shared_;
    CheckpointKeeper keeper_;
    int64_t savedAt_ = -1;  ///< step of last.ckpt
};

}  // namespace temper
