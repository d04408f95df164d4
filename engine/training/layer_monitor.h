// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runs/run_event.h"
#include "engine/training/checkpoint_state.h"

namespace temper {

/// Looks at weights, gradients and updates of the parameters that train, as often as a share of the
/// run's time allows. It reads at most kSampled numbers of a parameter, in blocks spread over it,
/// and changes nothing.
class LayerMonitor {
public:
    static constexpr int64_t kSampled = 8192;

    /// `maximalShare` of the time of steps is spent at most, behind the first step. The state has
    /// to outlive the monitor.
    explicit LayerMonitor(const CheckpointState& state, double maximalShare = 0.01)
        : state_(state), maximalShare_(maximalShare) {}

    /// With the gradients of a step there, before the optimizer.
    void beforeUpdate();
    void afterUpdate();
    /// Behind each step, with its time. Returns: what was seen, where this step was looked at.
    std::optional<LayersEvent> finishStep(int64_t step, double seconds);

    double costSeconds() const { return spent_; }
    /// Of all steps so far; 0 before the first.
    double costShare() const { return elapsed_ > 0 ? spent_ / elapsed_ : 0; }

private:
    bool isDue() const;
    void look(const Parameter& parameter);
    void lookAtUpdate(const Parameter& parameter, LayerStatistics& layer, const float*& before);

    const CheckpointState& state_;
    double maximalShare_;
    std::shared_ptr<std::vector<LayerStatistics>> layers_;  ///< null: this step is not looked at
    std::vector<float> before_;                             ///< sampled weights, one after another
    int64_t lastStep_ = 0;
    double lastCost_ = 0;  ///< seconds of the latest look
    double spent_ = 0;     ///< seconds of all
    double elapsed_ = 0;   ///< seconds of all steps
};

}  // namespace temper
