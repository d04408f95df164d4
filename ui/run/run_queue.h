// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <set>
#include <vector>

#include "ui/messages/problem.h"
#include "ui/run/run_history.h"

namespace temper::ui {

class Navigator;
class RunController;
class RunModel;
class StudioProject;

/// Lets the runs of the project that wait begin, each after the end of the one before. They are in
/// the history, so they outlive the program. A run that a person stops holds the queue; one that
/// fails does not. Thread: the GUI thread.
class RunQueue : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it.
    RunQueue(StudioProject& project, RunModel& run, RunController& controller, Navigator& navigator,
             RunHistory& history, QObject* parent = nullptr);

    /// Whether the next run begins by itself.
    bool isOn() const { return isOn_; }
    /// Begins the next run now if none is active; off: none begins any more, the active one stays.
    void setOn(bool on);
    /// Puts runs at the end of the queue. Beside an active run the queue is on from then on.
    void add(const std::vector<RunHistory::Planned>& runs);
    size_t waiting() const { return history_.waiting().size(); }

signals:
    void changed();
    /// The project that was opened has runs that wait; nothing has begun them.
    void waitingFound(int count);
    /// The last run that waited has ended; `finished`: those that did not fail.
    void done(const std::vector<int64_t>& finished, int failed);
    void failed(const temper::ui::Problem& problem);

private:
    bool canBegin() const;
    void next();
    void begin(RunRequest request, const StoredRun& run);
    void leaveOut(const StoredRun& run, const Problem& problem);
    void runChanged();
    void historyChanged();
    void reset();

    StudioProject& project_;
    RunModel& run_;
    RunController& controller_;
    Navigator& navigator_;
    RunHistory& history_;
    bool isOn_ = false;
    bool isAnnounced_ = false;  ///< what waited in the project when it was opened
    bool wasActive_ = false;
    int task_ = 0;
    int64_t active_ = 0;       ///< the run of the queue that is on; 0: none
    std::set<int64_t> begun_;  ///< those that the history may not know of yet
    std::vector<int64_t> finished_;
    int failed_ = 0;
};

}  // namespace temper::ui
