// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_queue.h"

#include <algorithm>
#include <utility>

#include "engine/training/projects/project_run.h"
#include "ui/commands/navigator.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"

namespace temper::ui {

RunQueue::RunQueue(StudioProject& project, RunModel& run, RunController& controller,
                   Navigator& navigator, RunHistory& history, QObject* parent)
    : QObject(parent),
      project_(project),
      run_(run),
      controller_(controller),
      navigator_(navigator),
      history_(history) {
    connect(&run_, &RunModel::stateChanged, this, &RunQueue::runChanged);
    connect(&history_, &RunHistory::changed, this, &RunQueue::historyChanged);
    connect(&project_, &StudioProject::opened, this, &RunQueue::reset);
    connect(&project_, &StudioProject::aboutToClose, this, &RunQueue::reset);
}

void RunQueue::reset() {
    project_.tasks()->cancel(std::exchange(task_, 0));
    isOn_ = isAnnounced_ = false;
    active_ = 0;
    finished_.clear();
    failed_ = 0;
    begun_.clear();
    emit changed();
}

void RunQueue::setOn(bool on) {
    if (on == isOn_) return;
    isOn_ = on;
    isAnnounced_ = true;
    if (!on) project_.tasks()->cancel(std::exchange(task_, 0));
    emit changed();
    next();
}

void RunQueue::add(const std::vector<RunHistory::Planned>& runs) {
    if (runs.empty()) return;
    isAnnounced_ = true;
    if (run_.isActive()) isOn_ = true;
    history_.enqueue(runs);
    emit changed();
}

void RunQueue::historyChanged() {
    emit changed();
    next();
    if (isOn_ || isAnnounced_ || !project_.model() || run_.isActive()) return;
    const size_t count = waiting();
    if (count == 0) return;
    isAnnounced_ = true;
    // One that was interrupted is offered to be continued, and the queue after it.
    if (!history_.hasInterrupted()) emit waitingFound(static_cast<int>(count));
}

void RunQueue::runChanged() {
    const bool wasActive = std::exchange(wasActive_, run_.isActive());
    if (!wasActive || run_.isActive()) return;
    switch (run_.state()) {
        case RunState::Finished:
            if (active_ != 0) finished_.push_back(active_);
            break;
        case RunState::Failed: failed_ += active_ != 0 ? 1 : 0; break;
        // Whoever stops a run wants no other to begin.
        default: isOn_ = false;
    }
    active_ = 0;
    emit changed();
    // historyChanged() goes on from there: the history is read anew after the end of a run.
}

/// When it can again, the history is read anew: historyChanged() goes on from there.
bool RunQueue::canBegin() const { return !run_.isActive() && !project_.store().isMovingRuns(); }

void RunQueue::next() {
    if (!isOn_ || task_ != 0 || !canBegin() || !project_.model()) return;
    if (history_.isReading() || history_.isResuming()) return;
    std::vector<StoredRun> runs = history_.waiting();
    std::erase_if(runs, [this](const StoredRun& run) { return begun_.contains(run.id); });
    if (runs.empty()) {
        if (finished_.empty() && failed_ == 0) return;  // what was added is being written
        isOn_ = false;
        emit changed();
        emit done(std::exchange(finished_, {}), std::exchange(failed_, 0));
        return;
    }
    const StoredRun& run = runs.front();
    task_ = project_.tasks()->letCancel(project_.tasks()->run(
        tr("Preparing %1").arg(text(run.name)), tr("%1 can't train").arg(text(run.name)),
        [run, folder = project_.store().folder().toStdString(), open = openParts(project_)](
            const std::stop_token& stop) { return prepareRun(specOfRun(run, folder), open, stop); },
        [this, run](RunRequest request) { begin(std::move(request), run); },
        [this, run](const Problem& problem) { leaveOut(run, problem); }));
}

void RunQueue::begin(RunRequest request, const StoredRun& run) {
    task_ = 0;
    if (!isOn_ || !canBegin() || !request.artifacts) return;
    active_ = run.id;
    begun_.insert(run.id);
    controller_.start(history_.recordWaiting(std::move(request), run));
    emit navigator_.pageRequested(QStringLiteral("train"));
    emit changed();
}

/// What can't train does not wait for ever.
void RunQueue::leaveOut(const StoredRun& run, const Problem& problem) {
    task_ = 0;
    if (problem.isCancelled) {
        isOn_ = false;
        return emit changed();
    }
    ++failed_;
    begun_.insert(run.id);
    emit failed(problem);
    history_.giveUp(run);
}

}  // namespace temper::ui
