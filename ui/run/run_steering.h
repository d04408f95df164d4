// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace temper::ui {

enum class StopMode {
    Save,        ///< after the current step; writes the checkpoint "last"
    Now,         ///< after the current step
    AfterEpoch,  ///< at the end of the epoch; writes the checkpoint "last"
};

/// Controls the active run, wherever it trains. Thread: the GUI thread.
class RunSteering {
public:
    virtual ~RunSteering() = default;

    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual void stepOnce() = 0;
    virtual void stop(StopMode mode) = 0;
    /// Sets a manual rate instead of the schedule's, from the next step on.
    virtual void setLearningRate(double learningRate) = 0;
    virtual void followSchedule() = 0;
    /// At most this many steps per second; 0: full speed.
    virtual void setPace(double stepsPerSecond) = 0;
};

}  // namespace temper::ui
