// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "engine/training/session/training_session.h"
#include "engine/training/trainer/run_checkpoints.h"
#include "engine/training/trainer/run_control.h"
#include "engine/training/trainer/run_rate.h"
#include "engine/training/trainer/run_reporter.h"

namespace temper {

/// Serves, at step boundaries, what others request of a run through its RunControl, and waits while
/// it is paused.
class RequestServer {
public:
    /// All of them have to outlive it.
    RequestServer(RunControl& control, TrainingSession& session, RunRate& rate,
                  RunCheckpoints& checkpoints, const RunReporter& reporter)
        : control_(control),
          session_(session),
          rate_(rate),
          checkpoints_(checkpoints),
          reporter_(reporter) {}

    /// Returns: whether the run continues.
    bool serve();
    /// After the last step, so that nobody waits for an answer in vain.
    void serveLast() { apply(control_.take()); }

    /// Whether the run was requested to end, now or with the epoch.
    bool isStopping() const { return control_.isStopping(); }
    bool stopsAfterEpoch() const { return control_.stopsAfterEpoch(); }
    /// Whether the request to stop includes a last checkpoint.
    bool savesOnStop() const { return savesOnStop_; }
    double secondsPaused() const { return secondsPaused_; }

private:
    void apply(const RunControl::Requests& requests);
    void announcePause(bool paused);
    /// Waits if the next step is not due yet, or until something is requested.
    /// Returns: whether it waited.
    bool keepPace(double stepsPerSecond);

    RunControl& control_;
    TrainingSession& session_;
    RunRate& rate_;
    RunCheckpoints& checkpoints_;
    const RunReporter& reporter_;
    bool isPauseAnnounced_ = false;
    bool savesOnStop_ = true;
    double secondsPaused_ = 0;
    std::optional<std::chrono::steady_clock::time_point> lastStep_;  ///< when it was let go
};

}  // namespace temper
