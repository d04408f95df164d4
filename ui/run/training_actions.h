// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <utility>
#include <vector>

#include "ui/messages/problem.h"

class QAction;

namespace temper::ui {

class Navigator;
class RunController;
class RunHistory;
class RunModel;
class StudioProject;

/// Start, pause, step and stop, shared by menu, shortcuts and buttons. The state determines what
/// start does and its name; if training can't start, it leads to the page to fix.
class TrainingActions : public QObject {
    Q_OBJECT
public:
    TrainingActions(StudioProject& project, RunModel& run, RunController& controller,
                    Navigator& navigator, RunHistory& history, QObject* parent = nullptr);

    QAction* start() const { return start_; }
    QAction* pause() const { return pause_; }
    QAction* step() const { return step_; }
    QAction* stop() const { return stop_; }
    QAction* stopAfterEpoch() const { return stopAfterEpoch_; }
    QAction* stopNow() const { return stopNow_; }
    QAction* startOver() const { return startOver_; }
    /// Drops a manual learning rate.
    QAction* followSchedule() const { return followSchedule_; }
    /// After a failure: back to the latest good state.
    QAction* rollBack() const { return rollBack_; }
    /// The same, then continues at a tenth of the learning rate.
    QAction* lowerRate() const { return lowerRate_; }
    /// All actions, with their names in menus, shortcuts and the palette.
    std::vector<std::pair<QString, QAction*>> all() const;

    /// A checkpoint was loaded: the next start continues from it.
    void continueFromLoaded();
    /// After a failure: returns to the latest good state and continues from there.
    void resumeFromGood();
    /// Starts training once, as soon as the project being opened is ready.
    void startWhenReady();

signals:
    void changed();
    void rolledBack(qlonglong step);
    void failed(const temper::ui::Problem& problem);

private:
    QAction* make(const QString& text, const QString& icon, const QString& shortcut);
    void begin(bool startOver);
    bool canContinue() const;
    void pauseOrResume();
    void stepOnce();
    void goBack(std::function<void()> proceed);
    void continueAtATenth();
    /// Applies a learning rate edited during a run to it from the next step on.
    void followRate();
    void refresh();

    StudioProject& project_;
    RunModel& run_;
    RunController& controller_;
    Navigator& navigator_;
    RunHistory& history_;
    QAction* start_;
    QAction* pause_;
    QAction* step_;
    QAction* stop_;
    QAction* stopAfterEpoch_;
    QAction* stopNow_;
    QAction* startOver_;
    QAction* followSchedule_;
    QAction* rollBack_;
    QAction* lowerRate_;
    bool loaded_ = false;
    double rate_ = 0;
};

}  // namespace temper::ui
