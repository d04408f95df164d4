// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace temper::ui {

class RunController;
class RunModel;

/// Asks before a run is stopped.
class RunGuard : public QObject {
    Q_OBJECT
public:
    /// All arguments outlive it; the question appears over `window`.
    RunGuard(QWidget& window, RunModel& run, RunController& controller);

    /// Calls `proceed`: now if nothing runs, else after the user has agreed and the run has ended.
    void whenIdle(const QString& question, std::function<void()> proceed);

private:
    void afterRun(std::function<void()> proceed);

    QWidget& window_;
    RunModel& run_;
    RunController& controller_;
};

}  // namespace temper::ui
