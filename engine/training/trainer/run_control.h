// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace temper {

class TrainingSession;

/// What others may request of a running Trainer; served at step boundaries. One per run: a stop is
/// final. Thread: any.
class RunControl {
public:
    void pause();
    void resume();
    /// One optimizer step, then pause again.
    void stepOnce();
    /// Ends the run after the current step; `save` writes the checkpoint "last" first.
    void stop(bool save = true);
    void stopAfterEpoch();
    /// Replaces the schedule by a constant rate from the next step on, even if the run is continued
    /// from its checkpoint.
    void setLearningRate(double learningRate);
    /// Back to the schedule from the next step on.
    void followSchedule();
    /// At most this many optimizer steps per second from the next step on, so that people can
    /// follow; 0: as fast as possible. Waiting counts as a pause. The steps are the same.
    void setPace(double stepsPerSecond);
    /// Writes a checkpoint with optimizer state after the current step (also while paused).
    void saveCheckpoint(std::filesystem::path path);
    /// Runs `task` on the training thread at the next step boundary (also while paused): for
    /// reading large things. It must not keep references into the session.
    void atStepBorder(std::function<void(TrainingSession&)> task);

    bool isPaused() const;
    /// Whether the run was requested to end after the current step.
    bool isStopping() const;

private:
    friend class RequestServer;

    /// The requests at a step boundary; taking them empties the lists.
    struct Requests {
        bool mayStep = false;
        bool paused = false;
        bool stop = false;
        bool saveOnStop = true;
        std::optional<double> learningRate;
        bool followSchedule = false;
        double pace = 0;
        std::vector<std::function<void(TrainingSession&)>> tasks;
        std::vector<std::filesystem::path> checkpoints;
    };
    Requests take();
    /// Blocks while the run is paused and nothing else is requested.
    void waitForRequest();
    /// Blocks until then, or until anything is requested.
    void waitUntil(std::chrono::steady_clock::time_point time);
    bool hasRequest() const;
    bool stopsAfterEpoch() const;
    template <typename F>
    void change(F&& action);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool paused_ = false;
    bool stepOnce_ = false;
    bool stop_ = false;
    bool saveOnStop_ = true;
    bool stopAfterEpoch_ = false;
    std::optional<double> learningRate_;
    bool followSchedule_ = false;
    double pace_ = 0;
    bool isPaceNew_ = false;
    std::vector<std::function<void(TrainingSession&)>> tasks_;
    std::vector<std::filesystem::path> checkpoints_;
};

}  // namespace temper
