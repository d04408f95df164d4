// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// "best-000120.ckpt": sorts as the steps do.
std::string checkpointName(const char* kind, int64_t step);

/// The checkpoints of the best evaluations of a run, as best-<step>.ckpt in its folder. Which these
/// are is a property of the state, the best one first: a run that continues, from whatever
/// checkpoint of its own, goes on from what was known there. Each figure has its own. A file is
/// deleted only where the state knows that it was written here; others of such a name stay.
///
/// A save is three steps: the property names one more, the file is written, what is too much is
/// deleted. Between any two of them the run may be killed: files are whole, and what a state names
/// too much goes when it continues.
class BestCheckpoints {
public:
    /// `count` 1: nothing is kept here; that is best.ckpt alone. `folder` empty: the same.
    BestCheckpoints(CheckpointState& state, std::filesystem::path folder, const std::string& metric,
                    bool higherIsBetter, int64_t count);

    /// A run continues: forgets what is no longer there, or was not written by it. Returns: the
    /// paths of what is gone.
    std::vector<std::filesystem::path> restore();
    /// How many files may come beside those that are there.
    size_t missing() const;
    /// Whether the checkpoint of an evaluation is to be kept, `value` being its figure.
    bool isAmongBest(double value) const;
    /// Writes the state, of this evaluation, beside the others. Throws: Error(Io); all is then as
    /// it was.
    std::filesystem::path save(double value);
    /// Deletes one of those that are too much. Returns: its path; nothing where there is none left.
    /// Throws: Error(Io) naming it; it is tried again the next time.
    std::optional<std::filesystem::path> removeSurplus();

    /// All figures'.
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
