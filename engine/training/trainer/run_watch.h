// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/runs/run_event.h"
#include "engine/training/monitors/divergence_watch.h"
#include "engine/training/monitors/layer_monitor.h"
#include "engine/training/session/training_session.h"
#include "engine/training/trainer/rollback_guard.h"
#include "engine/training/trainer/run_reporter.h"

namespace temper {

/// Looks at each step of a run: at its layers if that is wanted, at a loss that runs away, and for
/// a state to go back to.
class RunWatch {
public:
    /// All of them outlive it. `stopsDivergence`: a loss that runs away ends the run.
    RunWatch(TrainingSession& session, const RunReporter& reporter, bool stopsDivergence)
        : session_(session), reporter_(reporter), stopsDivergence_(stopsDivergence) {}

    /// See LayerMonitor.
    LayerMonitor& watchLayers(double maximalShare, std::map<std::string, UnitLayout> units);
    /// It outlives the run.
    void keepGoodState(RollbackGuard& guard) { guard_ = &guard; }

    void begin();
    /// After a step. Throws: DivergedError if the loss has run away.
    void note(const StepEvent& event);
    std::optional<int64_t> goodStep() const;

private:
    TrainingSession& session_;
    const RunReporter& reporter_;
    bool stopsDivergence_;
    std::optional<LayerMonitor> monitor_;
    RollbackGuard* guard_ = nullptr;
    DivergenceWatch divergence_;
};

}  // namespace temper
