// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/step_profiler.h"

#include <string>

namespace temper {
namespace {

constexpr int64_t kSkippedSteps = 10;
constexpr int64_t kMaxSteps = 20;

}  // namespace

void StepProfiler::begin(int64_t steps) {
    profile_ = {};
    profile_.keepTimeline(true);
    seen_ = 0;
    skipped_ = steps > kSkippedSteps + kMaxSteps ? kSkippedSteps : 0;
}

bool StepProfiler::isTurn() {
    const int64_t place = seen_++ - skipped_;
    const int64_t most = skipped_ > 0 ? kMaxSteps : kSkippedSteps + kMaxSteps;
    return place >= 0 && place < most;
}

StepProfiler::Scope::Scope(StepProfiler* profiler, TrainingSession& session, int64_t step)
    : profiler_(profiler != nullptr && profiler->isTurn() ? profiler : nullptr),
      session_(session),
      step_(step) {
    if (profiler_ == nullptr) return;
    session_.setProfile(&profiler_->profile_);
    begin_ = Profile::Clock::now();
}

StepProfiler::Scope::~Scope() {
    if (profiler_ == nullptr) return;
    profiler_->profile_.addSpan({"step " + std::to_string(step_), begin_, Profile::Clock::now()});
    session_.setProfile(nullptr);
}

}  // namespace temper
