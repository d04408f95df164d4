// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "tests/ui/pace.h"

namespace temper::ui {

/// Measures how long the GUI thread keeps events waiting: another thread posts beats to it and
/// measures how long each one took. Time in which the system gave the GUI thread no core (other
/// programs, the training threads of a small machine) is subtracted if the system reports it.
class GuiMonitor : public QObject {
    Q_OBJECT
public:
    /// Starts measuring the calling thread.
    explicit GuiMonitor(QObject* parent = nullptr);
    ~GuiMonitor() override;

    double longestBlockMs() const { return longestMs_; }
    double longestWallMs() const { return longestWallMs_; }
    int64_t beats() const { return beats_; }
    /// Forgets all measurements and the pending beat.
    void restart();

protected:
    /// A beat has arrived.
    void customEvent(QEvent* event) override;

private:
    using Clock = std::chrono::steady_clock;

    void loop();
    /// Time that the GUI thread has waited for a core so far.
    int64_t waitedForCoreNs() const;

    int threadId_;
    double longestMs_ = 0;
    double longestWallMs_ = 0;
    int64_t beats_ = 0;
    std::atomic<int> generation_ = 0;
    std::atomic<int> postedGeneration_ = 0;
    std::atomic<Clock::time_point> posted_{};
    std::atomic<int64_t> queuedNs_ = 0;
    std::atomic<bool> answered_ = true;
    std::atomic<bool> quit_ = false;
    std::thread thread_;
};

}  // namespace temper::ui
