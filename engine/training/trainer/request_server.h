// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "engine/distributed/group.h"
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
    /// All of them have to outlive it. `group`: ranks that train together, all of which do what is
    /// requested of rank 0; null: none.
    RequestServer(RunControl& control, TrainingSession& session, RunRate& rate,
                  RunCheckpoints& checkpoints, const RunReporter& reporter, Group* group = nullptr)
        : control_(control),
          session_(session),
          rate_(rate),
          checkpoints_(checkpoints),
          reporter_(reporter),
          group_(group) {}

    /// Returns: whether the run continues.
    bool serve();
    /// After the last step, so that nobody waits for an answer that never comes.
    void serveLast();

    /// Whether a step may be given up halfway, because the run was requested to end. Ranks finish
    /// their steps.
    bool interrupts() const { return group_ == nullptr && control_.isStopping(); }
    /// Whether the run was requested to end with the epoch.
    bool stopsAfterEpoch() const;
    /// Whether the request to stop includes a last checkpoint.
    bool savesOnStop() const { return decision_.savesOnStop; }
    /// Without pauses. Ranks get the time of the latest serve().
    double secondsTrained() const;

private:
    /// What has been decided at a step boundary, for all ranks.
    struct Decision {
        bool continues = true;
        bool saves = false;  ///< a checkpoint on request; the decision proper follows
        bool savesOnStop = true;
        bool stopsAfterEpoch = false;
        bool changesRate = false;
        bool followsSchedule = false;  ///< instead of the rate
        double rate = 0;
        double secondsTrained = 0;
    };

    /// Waits for the others' requests. Returns: whether the run continues.
    bool serveOwn();
    void decide();
    /// Rank 0 saves something on request.
    template <typename F>
    void save(F&& action);
    void setRate(std::optional<double> rate);
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
    Group* group_;
    Decision decision_;
    bool isPauseAnnounced_ = false;
    double secondsPaused_ = 0;
    std::optional<std::chrono::steady_clock::time_point> lastStep_;  ///< when it was let go
};

}  // namespace temper
