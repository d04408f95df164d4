// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/run_control.h"

#include <utility>

#include "engine/training/session/training_session.h"

namespace temper {

template <typename F>
void RunControl::change(F&& action) {
    {
        const std::lock_guard lock(mutex_);
        action();
    }
    changed_.notify_all();
}

void RunControl::pause() {
    change([&] { paused_ = true; });
}

void RunControl::resume() {
    change([&] {
        paused_ = false;
        stepOnce_ = false;
    });
}

void RunControl::stepOnce() {
    change([&] {
        paused_ = true;
        stepOnce_ = true;
    });
}

void RunControl::stop(bool save) {
    change([&] {
        stop_ = true;
        saveOnStop_ = save;
    });
}

void RunControl::stopAfterEpoch() {
    change([&] { stopAfterEpoch_ = true; });
}

void RunControl::setLearningRate(double learningRate) {
    change([&] {
        learningRate_ = learningRate;
        followSchedule_ = false;
    });
}

void RunControl::followSchedule() {
    change([&] {
        learningRate_.reset();
        followSchedule_ = true;
    });
}

void RunControl::setPace(double stepsPerSecond) {
    change([&] {
        pace_ = stepsPerSecond;
        isPaceNew_ = true;
    });
}

void RunControl::saveCheckpoint(std::filesystem::path path) {
    change([&] { checkpoints_.push_back(std::move(path)); });
}

void RunControl::atStepBorder(std::function<void(TrainingSession&)> task) {
    change([&] { tasks_.push_back(std::move(task)); });
}

bool RunControl::isPaused() const {
    const std::lock_guard lock(mutex_);
    return paused_;
}

bool RunControl::isStopping() const {
    const std::lock_guard lock(mutex_);
    return stop_;
}

bool RunControl::stopsAfterEpoch() const {
    const std::lock_guard lock(mutex_);
    return stopAfterEpoch_;
}

RunControl::Requests RunControl::take() {
    const std::lock_guard lock(mutex_);
    Requests requests;
    requests.paused = paused_;
    requests.stop = stop_;
    requests.saveOnStop = saveOnStop_;
    requests.mayStep = !paused_ || std::exchange(stepOnce_, false);
    requests.learningRate = std::exchange(learningRate_, std::nullopt);
    requests.followSchedule = std::exchange(followSchedule_, false);
    requests.pace = pace_;
    isPaceNew_ = false;
    requests.tasks = std::exchange(tasks_, {});
    requests.checkpoints = std::exchange(checkpoints_, {});
    return requests;
}

void RunControl::waitForRequest() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !paused_ || stepOnce_ || hasRequest(); });
}

void RunControl::waitUntil(std::chrono::steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, time, [&] {
        return paused_ || isPaceNew_ || learningRate_ || followSchedule_ || hasRequest();
    });
}

bool RunControl::hasRequest() const { return stop_ || !tasks_.empty() || !checkpoints_.empty(); }

}  // namespace temper
