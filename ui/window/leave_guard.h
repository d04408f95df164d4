// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace temper::ui {

class RunGuard;
class Workspace;

/// Asks before the user leaves a document: during a run, and if there are unsaved trained weights.
class LeaveGuard : public QObject {
    Q_OBJECT
public:
    /// All arguments outlive it; questions appear over `window`.
    LeaveGuard(QWidget& window, Workspace& work, RunGuard& run);

    /// Calls `proceed` now if there is nothing to ask, else after the user has agreed. `question`
    /// is asked during a run.
    void leave(const QString& question, std::function<void()> proceed);

private:
    bool asks() const;
    int64_t unsavedSteps() const;
    void askAboutWeights(std::function<void()> proceed);
    /// Saves as a project at a place that the user chooses; then calls `proceed`.
    void save(std::function<void()> proceed);

    QWidget& window_;
    Workspace& work_;
    RunGuard& run_;
};

}  // namespace temper::ui
