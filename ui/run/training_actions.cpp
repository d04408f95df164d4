// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/training_actions.h"

#include <QAction>

#include "ui/checks/start_obstacle.h"
#include "ui/commands/navigator.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/theme/icons.h"

namespace temper::ui {

TrainingActions::TrainingActions(StudioProject& project, RunModel& run, RunController& controller,
                                 Navigator& navigator, RunHistory& history, QObject* parent)
    : QObject(parent),
      project_(project),
      run_(run),
      controller_(controller),
      navigator_(navigator),
      history_(history),
      start_(make(tr("Start training"), "play", "Ctrl+R")),
      pause_(make(tr("Pause"), "pause", "Ctrl+P")),
      step_(make(tr("Step"), "step", "Ctrl+.")),
      stop_(make(tr("Stop and save"), "stop", "Ctrl+Shift+R")),
      stopAfterEpoch_(make(tr("Stop after this epoch"), "stop", "Ctrl+Alt+E")),
      stopNow_(make(tr("Stop without saving"), "close", "Ctrl+Alt+X")),
      startOver_(make(tr("Start over"), "undo", "Ctrl+Alt+R")),
      followSchedule_(make(tr("Follow the schedule again"), "chart", "Ctrl+Alt+F")),
      rollBack_(make(tr("Roll back"), "undo", "Ctrl+Alt+Z")),
      lowerRate_(make(tr("Lower rate ×0.1"), "play", "Ctrl+Alt+L")) {
    start_->setShortcuts({QKeySequence("Ctrl+R"), QKeySequence("F5")});
    connect(start_, &QAction::triggered, this, [this] { begin(!canContinue()); });
    connect(startOver_, &QAction::triggered, this, [this] { begin(true); });
    connect(pause_, &QAction::triggered, this, &TrainingActions::pauseOrResume);
    connect(step_, &QAction::triggered, this, &TrainingActions::stepOnce);
    connect(stop_, &QAction::triggered, this, [this] { controller_.stop(StopMode::Save); });
    connect(stopNow_, &QAction::triggered, this, [this] { controller_.stop(StopMode::Now); });
    connect(stopAfterEpoch_, &QAction::triggered, this,
            [this] { controller_.stop(StopMode::AfterEpoch); });
    connect(followSchedule_, &QAction::triggered, &controller_, &RunController::followSchedule);
    connect(rollBack_, &QAction::triggered, this, [this] { goBack([] {}); });
    connect(lowerRate_, &QAction::triggered, this, &TrainingActions::continueAtATenth);
    connect(&run_, &RunModel::updated, this, [this] {
        if (followSchedule_->isEnabled() != (run_.isActive() && run_.hasRateByHand())) refresh();
    });
    connect(&run_, &RunModel::stateChanged, this, &TrainingActions::refresh);
    connect(&controller_, &RunController::sessionChanged, this, &TrainingActions::refresh);
    connect(&project_, &StudioProject::modelChanged, this, [this] {
        loaded_ = false;
        refresh();
    });
    connect(&project_, &StudioProject::specChanged, this, &TrainingActions::followRate);
    connect(&project_, &StudioProject::preparationChanged, this, &TrainingActions::refresh);
    connect(&project_, &StudioProject::dataChanged, this, &TrainingActions::refresh);
    connect(&project_.store(), &ProjectStore::movingChanged, this, &TrainingActions::refresh);
    refresh();
}

QAction* TrainingActions::make(const QString& text, const QString& icon, const QString& shortcut) {
    auto* action = new QAction(themedIcon(icon), text, this);
    action->setData(icon);
    if (!shortcut.isEmpty()) action->setShortcut(QKeySequence(shortcut));
    return action;
}

std::vector<std::pair<QString, QAction*>> TrainingActions::all() const {
    return {{"training.start", start_},
            {"training.pause", pause_},
            {"training.step", step_},
            {"training.stop", stop_},
            {"training.stopAfterEpoch", stopAfterEpoch_},
            {"training.stopNow", stopNow_},
            {"training.startOver", startOver_},
            {"training.followSchedule", followSchedule_},
            {"training.rollBack", rollBack_},
            {"training.lowerRate", lowerRate_}};
}

bool TrainingActions::canContinue() const {
    const auto& preparation = project_.preparation();
    return controller_.hasSession() && preparation && preparation->artifacts &&
           controller_.artifacts() == preparation->artifacts &&
           (loaded_ || run_.state() == RunState::Stopped);
}

void TrainingActions::startWhenReady() {
    auto* once = new QObject(this);
    connect(&project_, &StudioProject::preparationChanged, once, [this, once] {
        if (!project_.isReadyToTrain()) return;
        once->deleteLater();
        disconnect(&project_, nullptr, once, nullptr);
        start_->trigger();
    });
}

void TrainingActions::continueFromLoaded() {
    loaded_ = true;
    refresh();
}

void TrainingActions::begin(bool startOver) {
    if (run_.isActive()) return;
    const StartObstacle obstacle = startObstacle(project_);
    if (!obstacle.text.isEmpty()) {
        project_.prepareAgain();
        emit navigator_.pageRequested(obstacle.pageId);
        return;
    }
    loaded_ = false;
    rate_ = project_.spec().run.learningRate;
    controller_.start(history_.record(makeRunRequest(project_, startOver)));
    emit navigator_.pageRequested(QStringLiteral("train"));
}

void TrainingActions::pauseOrResume() {
    if (run_.state() == RunState::Paused) {
        controller_.resume();
    } else {
        controller_.pause();
    }
}

void TrainingActions::goBack(std::function<void()> proceed) {
    controller_.rollBack(
        [this, proceed = std::move(proceed)](int64_t step) {
            continueFromLoaded();
            emit rolledBack(step);
            proceed();
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void TrainingActions::resumeFromGood() {
    goBack([this] { begin(!canContinue()); });
}

/// The failed rate may have been set manually; the schedule uses the planned one.
void TrainingActions::continueAtATenth() {
    const bool byHand = run_.hasRateByHand() && run_.lastStep();
    const double failed = byHand ? run_.lastStep()->learningRate : project_.spec().run.learningRate;
    goBack([this, failed] {
        TrainingSpec spec = project_.spec();
        spec.run.learningRate = 0.1 * failed;
        project_.edit(tr("Lower learning rate"), spec);
        begin(!canContinue());
    });
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
    const bool canStop = active && run_.state() != RunState::Stopping;
    for (QAction* stop : {stop_, stopNow_, stopAfterEpoch_}) stop->setEnabled(canStop);
    followSchedule_->setEnabled(active && run_.hasRateByHand());
    const bool failed =
        run_.state() == RunState::Failed && run_.end() && run_.end()->goodStep.has_value();
    for (QAction* action : {rollBack_, lowerRate_}) action->setEnabled(failed);
    emit changed();
}

}  // namespace temper::ui
