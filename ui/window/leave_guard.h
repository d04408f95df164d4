// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace temper::ui {

class RunGuard;
class Workspace;

/// Asks before a document is left: while a run is on, and if there are trained weights that nobody
/// has saved.
class LeaveGuard : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it; questions lie over `window`.
    LeaveGuard(QWidget& window, Workspace& work, RunGuard& run);

    /// Calls `proceed` now if there is nothing to ask, else after the person has agreed. `question`
    /// is asked while a run is on.
    void leave(const QString& question, std::function<void()> proceed);
    /// Whether leave() would ask.
    bool asks() const;

private:
    int64_t unsavedSteps() const;
    void askAboutWeights(std::function<void()> proceed);
    /// As a project, where the person says; then `proceed`.
    void save(std::function<void()> proceed);

    QWidget& window_;
    Workspace& work_;
    RunGuard& run_;
};

}  // namespace temper::ui
