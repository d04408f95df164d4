// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/rollback_guard.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace temper {
namespace {

/// Long enough for a DivergenceWatch to see that the loss is rising: over half of its window.
constexpr int kStepsToConfirm = 15;
/// The distance of copies is a quarter of the run's steps so far, within these bounds: 20 in the
/// first thousand steps, then one in 200.
constexpr int64_t kMinBetween = 10;
constexpr int64_t kMaxBetween = 200;
constexpr int64_t kPartOfRun = 4;
/// A loss that is this many times farther from zero than the average has jumped.
constexpr double kLeap = 10;
constexpr double kWeightOfPast = 0.9;
constexpr double kSmallestLoss = 1e-3;  ///< jumps among smaller losses are noise

}  // namespace

RollbackGuard::Copy RollbackGuard::copyOf(const CheckpointState& state) {
    copiedAt_ = state.optimizerState().step;
    return {copiedAt_, state.toFile(true)};
}

void RollbackGuard::begin(const CheckpointState& state) {
    *this = {};
    good_ = copyOf(state);
    beganAt_ = copiedAt_;
}

bool RollbackGuard::isSane(const StepEvent& step) const {
    if (!std::isfinite(step.loss) || !std::isfinite(step.gradientNorm)) return false;
    if (!averageLoss_) return true;
    return step.loss <= kLeap * std::max(std::abs(*averageLoss_), kSmallestLoss);
}

bool RollbackGuard::isDue(int64_t step) const {
    const int64_t between = std::clamp((step - beganAt_) / kPartOfRun, kMinBetween, kMaxBetween);
    return step - copiedAt_ >= between;
}

void RollbackGuard::note(const StepEvent& step, const CheckpointState& state, bool calm) {
    if (!isSane(step)) {
        candidate_.reset();
        return;
    }
    averageLoss_ =
        averageLoss_ ? kWeightOfPast * *averageLoss_ + (1 - kWeightOfPast) * step.loss : step.loss;
    if (candidate_ && ++confirmed_ >= kStepsToConfirm && calm)
        good_ = std::move(*std::exchange(candidate_, std::nullopt));
    if (candidate_ || !isDue(step.step)) return;
    candidate_ = copyOf(state);
    confirmed_ = 0;
}

std::optional<int64_t> RollbackGuard::goodStep() const {
    return good_ ? std::optional(good_->step) : std::nullopt;
}

int64_t RollbackGuard::rollBack(CheckpointState& state) const {
    if (!good_) throw Error(ErrorCode::State, "No state to go back to.", "Start a run first.");
    state.assign(good_->file);
    return good_->step;
}

}  // namespace temper
