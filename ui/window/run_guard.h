// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace temper::ui {

class RunController;
class RunModel;

/// Asks before a run is given up.
class RunGuard : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it; the question lies over `window`.
    RunGuard(QWidget& window, RunModel& run, RunController& controller);

    /// Calls `proceed`: now if nothing runs, else after the person has agreed and the run has
    /// ended.
    void whenIdle(const QString& question, std::function<void()> proceed);

private:
    void afterRun(std::function<void()> proceed);

    QWidget& window_;
    RunModel& run_;
    RunController& controller_;
};

}  // namespace temper::ui
