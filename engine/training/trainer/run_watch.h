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

/// Watches each step of a run: its layers if requested, whether the loss diverges, and keeps a
/// state to roll back to.
class RunWatch {
public:
    /// All of them have to outlive it. `stopsDivergence`: a loss that diverges ends the run;
    /// `hasGradients`: the session has the gradients of all ranks, so the error says which are the
    /// largest.
    RunWatch(TrainingSession& session, const RunReporter& reporter, bool stopsDivergence,
             bool hasGradients)
        : session_(session),
          reporter_(reporter),
          stopsDivergence_(stopsDivergence),
          hasGradients_(hasGradients) {}

    /// See LayerMonitor.
    LayerMonitor& watchLayers(double maximalShare, std::map<std::string, UnitLayout> units);
    /// It has to outlive the run.
    void keepGoodState(RollbackGuard& guard) { guard_ = &guard; }

    void begin();
    /// After a step. Throws: DivergedError if the loss has diverged.
    void note(const StepEvent& event);
    std::optional<int64_t> goodStep() const;

private:
    TrainingSession& session_;
    const RunReporter& reporter_;
    bool stopsDivergence_;
    bool hasGradients_;
    std::optional<LayerMonitor> monitor_;
    RollbackGuard* guard_ = nullptr;
    DivergenceWatch divergence_;
};

}  // namespace temper
