// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/lesson/lesson_watch.h"

#include <QAction>
#include <QTimer>
#include <utility>

#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/panels/model/detail_view.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/run/run_queue.h"
#include "ui/run/training_actions.h"

namespace temper::ui {
namespace {

std::string runStateName(RunState state) {
    switch (state) {
        case RunState::Idle: return "";
        case RunState::Preparing:
        case RunState::Running:
        case RunState::Stopping: return "running";
        case RunState::Paused: return "paused";
        case RunState::Finished: return "finished";
        case RunState::Stopped: return "stopped";
        case RunState::Failed: return "failed";
    }
    return "";
}

}  // namespace

LessonWatch::LessonWatch(const PanelContext& context, QObject* parent)
    : QObject(parent), context_(context) {
    const Activity* activity = &Activity::of(context_.navigator);
    connect(activity, &Activity::placeShown, this, [this](const QString& id, bool is) {
        is ? void(facts_.places.insert(id.toStdString()))
           : void(facts_.places.erase(id.toStdString()));
        look();
    });
    connect(activity, &Activity::acted, this,
            [this](const QString& act) { look(act.toStdString()); });
    connect(&context_.inspector, &DetailView::selectionShown, this, [this] { look("select"); });
    connect(context_.training.step(), &QAction::triggered, this, [this] { look("step"); });
    connect(context_.training.lowerRate(), &QAction::triggered, this,
            [this] { look("lower rate"); });
    connect(&context_.project, &StudioProject::specChanged, this, [this] { look(); });
    connect(&context_.run, &RunModel::stateChanged, this, &LessonWatch::followRun);
    connect(&context_.run, &RunModel::updated, this, [this] { look(); });
}

void LessonWatch::followRun(RunState state) {
    if (state == RunState::Preparing) facts_.runSpec = choicesOfRun();
    look();
}

/// A run of the queue has its own choices.
TrainingSpec LessonWatch::choicesOfRun() const {
    const StoredRun* run = context_.history.find(context_.history.current());
    if (context_.queue.isOn() && run != nullptr) return context_.history.specOf(*run);
    return context_.project.spec();
}

std::vector<bool> LessonWatch::met() const {
    const auto& lesson = context_.project.lesson();
    std::vector<bool> met;
    if (!lesson) return met;
    for (const LessonCondition& done : conditions_) met.push_back(isMet(done, *lesson, facts_));
    return met;
}

void LessonWatch::begin() {
    const auto& lesson = context_.project.lesson();
    conditions_ = lesson ? stepConditions(*lesson) : std::vector<LessonCondition>();
    facts_.runSpec = context_.project.spec();
    held_.clear();
    isBeginning_ = true;
    look();
    QTimer::singleShot(0, this, [this] {
        look();
        isBeginning_ = false;
    });
}

void LessonWatch::visit(int step) {
    const auto index = static_cast<size_t>(step);
    if (index >= held_.size() || !held_[index]) return;
    if (!conditions_[index].place.empty()) emit completed(step);
}

void LessonWatch::look(const std::string& act) {
    facts_.run = runStateName(context_.run.state());
    facts_.steps = context_.run.step();
    facts_.metrics =
        context_.run.lastEval() ? context_.run.lastEval()->metrics : decltype(facts_.metrics)();
    facts_.spec = context_.project.spec();
    facts_.act = act;
    const std::vector<bool> now = met();
    facts_.act.clear();
    // An act is over as soon as it is done.
    const std::vector<bool> before = std::exchange(held_, act.empty() ? now : met());
    if (isBeginning_ || before.size() != now.size()) return;
    for (size_t i = 0; i < now.size(); ++i)
        if (now[i] && !before[i]) emit completed(static_cast<int>(i));
}

}  // namespace temper::ui
