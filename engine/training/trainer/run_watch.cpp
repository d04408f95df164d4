// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/run_watch.h"

#include <utility>

namespace temper {

LayerMonitor& RunWatch::watchLayers(double maximalShare, std::map<std::string, UnitLayout> units) {
    return monitor_.emplace(session_.state(), maximalShare, std::move(units));
}

void RunWatch::begin() {
    if (guard_ != nullptr) guard_->begin(session_.state());
}

void RunWatch::note(const StepEvent& event) {
    if (monitor_) {
        const double seconds = event.stepSeconds + event.dataWaitSeconds;
        if (auto layers = monitor_->finishStep(event.step, seconds))
            reporter_.emit(std::move(*layers));
    }
    std::optional<Divergence> found;
    if (stopsDivergence_) found = divergence_.note(event);
    const bool isCalm = !stopsDivergence_ || divergence_.isCalm();
    if (guard_ != nullptr) guard_->note(event, session_.state(), isCalm);
    if (found) throw hasGradients_ ? DivergedError(*found, session_) : DivergedError(*found);
}

std::optional<int64_t> RunWatch::goodStep() const {
    return guard_ == nullptr ? std::nullopt : guard_->goodStep();
}

}  // namespace temper
