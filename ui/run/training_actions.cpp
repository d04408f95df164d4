// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/training_actions.h"

#include <QAction>

#include "ui/project/navigator.h"
#include "ui/project/stages.h"
#include "ui/project/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/theme/icons.h"

namespace temper::ui {

TrainingActions::TrainingActions(StudioProject& project, RunModel& run, RunController& controller,
                                 Navigator& navigator, QObject* parent)
    : QObject(parent),
      project_(project),
      run_(run),
      controller_(controller),
      navigator_(navigator),
      start_(make(tr("Start training"), "play", "Ctrl+R")),
      pause_(make(tr("Pause"), "pause", "Ctrl+P")),
      step_(make(tr("Step"), "step", "Ctrl+.")),
      stop_(make(tr("Stop"), "stop", "Ctrl+Shift+R")),
      startOver_(make(tr("Start over"), "undo", {})) {
    start_->setShortcuts({QKeySequence("Ctrl+R"), QKeySequence("F5")});
    connect(start_, &QAction::triggered, this, [this] { begin(!canContinue()); });
    connect(startOver_, &QAction::triggered, this, [this] { begin(true); });
    connect(pause_, &QAction::triggered, this, &TrainingActions::pauseOrResume);
    connect(step_, &QAction::triggered, this, &TrainingActions::stepOnce);
    connect(stop_, &QAction::triggered, &controller_, &RunController::stop);
    connect(&run_, &RunModel::stateChanged, this, &TrainingActions::refresh);
    connect(&controller_, &RunController::sessionChanged, this, &TrainingActions::refresh);
    connect(&project_, &StudioProject::modelChanged, this, [this] {
        loaded_ = false;
        refresh();
    });
    connect(&project_, &StudioProject::specChanged, this, &TrainingActions::followRate);
    connect(&project_, &StudioProject::preparationChanged, this, &TrainingActions::refresh);
    connect(&project_, &StudioProject::dataChanged, this, &TrainingActions::refresh);
    refresh();
}

QAction* TrainingActions::make(const QString& text, const QString& icon, const QString& shortcut) {
    auto* action = new QAction(themedIcon(icon), text, this);
    action->setData(icon);
    if (!shortcut.isEmpty()) action->setShortcut(QKeySequence(shortcut));
    return action;
}

bool TrainingActions::canContinue() const {
    const auto& preparation = project_.preparation();
    return controller_.hasSession() && preparation && preparation->artifacts &&
           controller_.artifacts() == preparation->artifacts &&
           (loaded_ || run_.state() == RunState::Stopped);
}

void TrainingActions::continueFromLoaded() {
    loaded_ = true;
    refresh();
}

void TrainingActions::begin(bool startOver) {
    if (run_.isActive()) return;
    const StartObstacle obstacle = startObstacle(project_);
    if (!obstacle.text.isEmpty()) {
        emit navigator_.pageRequested(obstacle.pageId);
        return;
    }
    loaded_ = false;
    rate_ = project_.spec().run.learningRate;
    controller_.start(makeRunRequest(project_, startOver));
    emit navigator_.pageRequested(QStringLiteral("train"));
}

void TrainingActions::pauseOrResume() {
    if (run_.state() == RunState::Paused) {
        controller_.resume();
    } else {
        controller_.pause();
    }
}

void TrainingActions::followRate() {
    const double rate = project_.spec().run.learningRate;
    if (rate == rate_) return;
    rate_ = rate;
    controller_.setLearningRate(rate);
}

void TrainingActions::stepOnce() {
    if (!run_.isActive()) begin(!canContinue());
    controller_.stepOnce();
}

void TrainingActions::refresh() {
    const bool active = run_.isActive();
    const QString obstacle = startObstacle(project_).text;
    start_->setText(!obstacle.isEmpty() ? obstacle
                    : canContinue()     ? tr("Continue training")
                                        : tr("Start training"));
    start_->setEnabled(project_.model() && !active);
    startOver_->setEnabled(start_->isEnabled() && obstacle.isEmpty() && controller_.hasSession());
    const bool paused = run_.state() == RunState::Paused;
    pause_->setEnabled(paused || run_.state() == RunState::Running);
    pause_->setText(paused ? tr("Resume") : tr("Pause"));
    pause_->setData(paused ? QStringLiteral("play") : QStringLiteral("pause"));
    pause_->setIcon(themedIcon(pause_->data().toString()));
    step_->setEnabled(paused || (!active && obstacle.isEmpty() && project_.model()));
    stop_->setEnabled(active && run_.state() != RunState::Stopping);
    emit changed();
}

}  // namespace temper::ui
