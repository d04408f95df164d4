// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/runs/run_event.h"
#include "engine/training/monitors/unit_layout.h"
#include "engine/training/monitors/unit_silence.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// Observes weights, gradients and updates of the trainable parameters, as often as a share of the
/// run's time allows. It reads at most kSampled numbers of a parameter, in blocks spread over it,
/// and changes nothing. For units it continues reading only while their gradients are zero.
class LayerMonitor {
public:
    static constexpr int64_t kSampled = 8192;

    /// Spends at most `maximalShare` of the steps' time after the first step. The state has to
    /// outlive the monitor. `units`: the layouts of units that can die, by the names of weights.
    explicit LayerMonitor(const CheckpointState& state, double maximalShare = 0.01,
                          std::map<std::string, UnitLayout> units = {})
        : state_(state), maximalShare_(maximalShare), units_(std::move(units)) {}

    /// Call it when the gradients of a step are complete, before the optimizer.
    void beforeUpdate();
    void afterUpdate();
    /// Call it after each step, with its time. Returns: what was observed, if this step was looked
    /// at.
    std::optional<LayersEvent> finishStep(int64_t step, double seconds);

    double costSeconds() const { return spent_; }
    /// Over all steps so far; 0 before the first.
    double costShare() const { return elapsed_ > 0 ? spent_ / elapsed_ : 0; }

private:
    bool isDue() const;
    void look(const Parameter& parameter);
    void lookAtUnits(const Parameter& parameter, LayerStatistics& layer);
    void lookAtUpdate(const Parameter& parameter, LayerStatistics& layer, const float*& before);

    const CheckpointState& state_;
    double maximalShare_;
    std::map<std::string, UnitLayout> units_;
    std::map<std::string, UnitSilence> silence_;            ///< of the weights in units_
    std::shared_ptr<std::vector<LayerStatistics>> layers_;  ///< null: this step is not observed
    std::vector<float> before_;                             ///< sampled weights, one after another
    int64_t lastStep_ = 0;
    double lastCost_ = 0;  ///< seconds of the latest look
    double spent_ = 0;     ///< seconds of all looks
    double elapsed_ = 0;   ///< seconds of all steps
};

}  // namespace temper
