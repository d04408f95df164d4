// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rollback_guard.h"

#include <chrono>
#include <cmath>
#include <utility>

namespace temper {
namespace {

using Clock = std::chrono::steady_clock;

/// Long enough for a DivergenceWatch to see that the loss goes up: over half of its window.
constexpr int kStepsToConfirm = 15;
constexpr int64_t kStepsBetween = 10;
constexpr double kShareOfTime = 0.01;
/// A loss that is this many times farther from zero than the average has leapt.
constexpr double kLeap = 10;
constexpr double kWeightOfPast = 0.9;
constexpr double kSmallestLoss = 1e-3;  ///< leaps among smaller losses are noise

}  // namespace

RollbackGuard::Copy RollbackGuard::copyOf(const CheckpointState& state) {
    const Clock::time_point begin = Clock::now();
    Copy copy{state.optimizerState().step, state.toFile(true)};
    copySeconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    spent_ += copySeconds_;
    copiedAt_ = copy.step;
    return copy;
}

void RollbackGuard::begin(const CheckpointState& state) {
    *this = {};
    good_ = copyOf(state);
    spent_ = 0;
}

bool RollbackGuard::isSane(const StepEvent& step) const {
    if (!std::isfinite(step.loss) || !std::isfinite(step.gradientNorm)) return false;
    if (!averageLoss_) return true;
    return step.loss <= kLeap * std::max(std::abs(*averageLoss_), kSmallestLoss);
}

bool RollbackGuard::isDue(int64_t step) const {
    return step - copiedAt_ >= kStepsBetween && spent_ + copySeconds_ <= kShareOfTime * elapsed_;
}

void RollbackGuard::note(const StepEvent& step, const CheckpointState& state, bool calm) {
    elapsed_ += step.stepSeconds + step.dataWaitSeconds;
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
    if (!good_)
        throw Error(ErrorCode::State, "There is no state to go back to.",
                    "A run has to have begun.");
    state.assign(good_->file);
    return good_->step;
}

}  // namespace temper
