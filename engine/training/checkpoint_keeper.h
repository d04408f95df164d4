// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/training/checkpoint_state.h"

namespace temper {

/// Writes the checkpoints of a run into its folder: last.ckpt, best.ckpt and step-<n>.ckpt. The
/// best evaluation so far is a property of the state, so that a run that continues knows it.
class CheckpointKeeper {
public:
    /// `folder` empty: nothing is written, the best evaluation is kept all the same.
    CheckpointKeeper(CheckpointState& state, std::filesystem::path folder)
        : state_(state), folder_(std::move(folder)) {}

    bool writes() const { return !folder_.empty(); }

    /// Whether the loss is the lowest so far; remembers it, or counts one evaluation more without
    /// improvement.
    bool noteEvaluation(double loss);
    int64_t evaluationsWithoutImprovement() const;
    /// A run that starts afresh knows no evaluations.
    void forget();

    /// Each returns the path written. Throws: Error(Io).
    std::filesystem::path saveLast() const { return save("last.ckpt"); }
    std::filesystem::path saveBest() const { return save("best.ckpt"); }
    std::filesystem::path saveStep(int64_t step) const;

private:
    std::filesystem::path save(const std::string& name) const;

    CheckpointState& state_;
    std::filesystem::path folder_;
};

}  // namespace temper
