// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// "best-000120.ckpt": sorts like the steps.
std::string checkpointName(const char* kind, int64_t step);

/// The checkpoints of the best evaluations of a run, as best-<step>.ckpt in its folder. The list of
/// them is a property of the state, the best one first: a run that continues, from whichever of its
/// checkpoints, starts from what was known there. Each metric has its own list. A file is deleted
/// only if the state knows that it was written here; others of such a name stay.
///
/// A save has three steps: the property names one more, the file is written, the surplus is
/// deleted. The run may be killed between any two of them: files are whole, and surplus entries of
/// a state are removed when it continues.
class BestCheckpoints {
public:
    /// `count` 1: nothing is kept here; best.ckpt is enough. `folder` empty: the same.
    BestCheckpoints(CheckpointState& state, std::filesystem::path folder, const std::string& metric,
                    bool higherIsBetter, int64_t count);

    /// For a run that continues: forgets what is no longer there, or was not written by it.
    /// Returns: the paths of what is gone.
    std::vector<std::filesystem::path> restore();
    /// How many more files may be added.
    size_t missing() const;
    /// Whether the checkpoint of an evaluation with this value has to be kept.
    bool isAmongBest(double value) const;
    /// Writes the state, of this evaluation, next to the others. Throws: Error(Io); everything is
    /// then unchanged.
    std::filesystem::path save(double value);
    /// Deletes one surplus file. Returns: its path; nothing if there is none left. Throws:
    /// Error(Io) naming it; the next call tries again.
    std::optional<std::filesystem::path> removeSurplus();

    /// For all metrics.
    static void forget(CheckpointState& state);

private:
    struct Kept {
        int64_t step = 0;
        float value = 0;

        bool operator==(const Kept&) const = default;
    };
    static std::vector<Kept> parse(const std::string& text);
    std::vector<Kept> known() const;
    void setKnown(const std::vector<Kept>& kept);
    bool isBetter(float value, float than) const;
    bool wasWrittenHere(const Kept& kept) const;
    std::filesystem::path pathOf(const Kept& kept) const;

    CheckpointState& state_;
    std::filesystem::path folder_;
    std::string property_;
    bool higherIsBetter_;
    size_t count_;
};

}  // namespace temper
