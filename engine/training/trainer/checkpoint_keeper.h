// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/file_lock.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/trainer/best_checkpoints.h"

namespace temper {

/// The metric of the evaluations that a run is judged by.
struct ProgressRule {
    std::string metric = "loss";
    bool higherIsBetter = false;
    double minDelta = 0;   ///< an improvement has to be larger than this
    int64_t keepBest = 1;  ///< number of best evaluations
};

/// What a run keeps besides its last checkpoint, and in it besides the optimizer's moments.
struct KeptOfRun {
    bool evaluates = false;  ///< the best checkpoints
    bool averages = false;   ///< the average of the weights, from the first step on
};

/// What an evaluation means for a run.
struct Progress {
    bool isBest = false;             ///< of all evaluations so far
    int64_t withoutImprovement = 0;  ///< evaluations in a row that did not improve by enough
};

/// Writes the checkpoints of a run into its folder: last.ckpt, best.ckpt, step-<n>.ckpt and
/// pause-<n>.ckpt; further good evaluations are in BestCheckpoints. The best evaluation so far is a
/// property of the state, so that a run that continues knows it; each metric has its own, so that a
/// run may continue with another metric.
class CheckpointKeeper {
public:
    /// `folder` empty: nothing is written, but the best evaluation is still recorded.
    CheckpointKeeper(CheckpointState& state, std::filesystem::path folder, ProgressRule rule = {})
        : state_(state),
          folder_(std::move(folder)),
          rule_(std::move(rule)),
          best_(state_, folder_, rule_.metric, rule_.higherIsBetter, rule_.keepBest) {}

    bool writes() const { return !folder_.empty(); }
    /// Before the first step: creates the folder, locks it for this process, and checks that it has
    /// room for the checkpoints, with the optimizer's state and the copy that replaces an older
    /// one. Throws: Error(State) if another process writes there; Error(Io).
    void claim(const KeptOfRun& kept);
    /// Names of checkpoints that claim() found and the run will replace.
    const std::vector<std::string>& replaced() const { return replaced_; }
    /// Unlocks the folder for others.
    void release() { lock_.reset(); }

    const ProgressRule& rule() const { return rule_; }
    /// Those that are kept besides best.ckpt.
    BestCheckpoints& best() { return best_; }
    /// `value`: of the rule's metric. Not finite: no improvement.
    Progress noteEvaluation(double value);
    /// A run that starts over knows no evaluations.
    void forget();

    /// Each returns the path written. Throws: Error(Io).
    std::filesystem::path saveLast() const { return save(kLastName); }
    std::filesystem::path saveBest() const { return save(kBestName); }
    std::filesystem::path saveStep(int64_t step) const {
        return save(checkpointName("step", step));
    }
    std::filesystem::path savePause(int64_t step) const {
        return save(checkpointName("pause", step));
    }

private:
    static constexpr const char* kLastName = "last.ckpt";
    static constexpr const char* kBestName = "best.ckpt";

    bool isThere(const char* name) const;
    int64_t filesToCome(bool evaluates) const;
    std::filesystem::path save(const std::string& name) const;
    bool isBetter(float value, std::optional<float> than, double by) const;

    CheckpointState& state_;
    std::filesystem::path folder_;
    ProgressRule rule_;
    BestCheckpoints best_;
    std::unique_ptr<FolderLock> lock_;
    std::vector<std::string> replaced_;
};

}  // namespace temper
