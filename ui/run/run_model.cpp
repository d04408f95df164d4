// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_model.h"
#include "ui/messages/hint_text.h"
#include "ui/messages/path_text.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/number_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace temper::ui {
namespace {

constexpr size_t kRecentSteps = 50;
constexpr size_t kStepsBeforeEstimate = 10;

void pushRecent(std::vector<double>& values, double value) {
    if (values.size() == kRecentSteps) values.erase(values.begin());
    values.push_back(value);
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

RunModel::RunModel(QObject* parent) : QObject(parent) {}

bool RunModel::isActive() const {
    return state_ == RunState::Preparing || state_ == RunState::Running ||
           state_ == RunState::Paused || state_ == RunState::Stopping;
}

void RunModel::setState(RunState state) {
    if (state == state_) return;
    state_ = state;
    emit stateChanged(state);
}

void RunModel::setStopsAfterEpoch(bool stops) {
    if (std::exchange(stopsAfterEpoch_, stops) != stops) emit updated();
}

void RunModel::reset() {
    started_ = {};
    lastStep_.reset();
    lastEval_.reset();
    end_.reset();
    warnings_.clear();
    for (Curve* curve : {&loss_, &smoothedLoss_, &validationLoss_, &learningRate_, &gradientNorm_,
                         &smoothedNorm_, &stepSeconds_})
        curve->clear();
    metrics_.clear();
    marks_.clear();
    layers_.reset();
    layerHistory_.clear();
    stopsAfterEpoch_ = rateByHand_ = false;
    bests_.clear();
    smoother_ = normSmoother_ = Smoother(smoothing_);
    forgetRecent();
    emit updated();
}

void RunModel::forgetRecent() {
    recentSeconds_.clear();
    recentSamples_.clear();
    recentWaits_.clear();
}

void RunModel::setSmoothing(double weight) {
    smoothing_ = weight;
    smoother_ = smoothedLoss_.smooth(loss_, weight);
    normSmoother_ = smoothedNorm_.smooth(gradientNorm_, weight);
    emit updated();
}

void RunModel::mark(RunMark::Kind kind, int64_t step, const QString& text) {
    marks_.push_back({kind, static_cast<double>(step), text});
}

/// Moves the mark of the file that is overwritten repeatedly.
void RunModel::markCheckpoint(const CheckpointEvent& event) {
    const QString last = tr("last checkpoint");
    if (event.kind == "last")
        std::erase_if(marks_, [&last](const RunMark& mark) { return mark.text == last; });
    mark(RunMark::Kind::Checkpoint, event.step, event.kind == "last" ? last : tr("checkpoint"));
}

/// Moves the mark of the best evaluation.
void RunModel::markBest() {
    std::erase_if(marks_, [](const RunMark& mark) { return mark.kind == RunMark::Kind::Best; });
    if (bests_.empty()) return;
    const auto& [step, loss] = bests_.back();
    mark(RunMark::Kind::Best, step, tr("best %1").arg(decimalText(loss, 'g', 4)));
}

void RunModel::apply(std::span<const RunEvent> events) {
    if (events.empty()) return;
    for (const RunEvent& event : events)
        std::visit([this](const auto& fact) { take(fact); }, event.fact);
    // Once for all: a run of another day has thousands.
    if (std::exchange(hasOtherCheckpoints_, false)) emit checkpointsChanged();
    emit updated();
    for (const RunEvent& event : events) emit received(event);
}

void RunModel::restore(std::span<const RunEvent> events, RunState state) {
    {
        const QSignalBlocker quiet(this);
        reset();
        checkpoints_.clear();
        apply(events);
    }
    state_ = state;
    emit checkpointsChanged();
    emit stateChanged(state);
    emit updated();
}

void RunModel::rewind(int64_t step) {
    const auto x = static_cast<double>(step);
    for (Curve* curve : {&loss_, &validationLoss_, &learningRate_, &gradientNorm_, &stepSeconds_})
        curve->cutAfter(x);
    layerHistory_.cutAfter(step);
    for (auto& [key, curve] : metrics_) curve.cutAfter(x);
    smoother_ = smoothedLoss_.smooth(loss_, smoothing_);
    normSmoother_ = smoothedNorm_.smooth(gradientNorm_, smoothing_);
    std::erase_if(bests_, [step](const auto& best) { return best.first > step; });
    std::erase_if(marks_, [x](const RunMark& mark) { return mark.step > x; });
    markBest();
    if (lastEval_ && lastEval_->step > step) lastEval_.reset();
    leaveCheckpoints(step);
    std::erase_if(warnings_, [step](const WarningEvent& warning) { return warning.step > step; });
}

/// Checkpoints after `step` are no longer on the curve; their files stay.
void RunModel::leaveCheckpoints(int64_t step) {
    for (CheckpointEntry& entry : checkpoints_)
        if (entry.step > step) entry.isOfRun = false;
}

void RunModel::clearCheckpoints() {
    checkpoints_.clear();
    emit checkpointsChanged();
}

void RunModel::addCheckpoint(const CheckpointEntry& entry) {
    putCheckpoint(entry);
    emit checkpointsChanged();
}

void RunModel::putCheckpoint(const CheckpointEntry& entry) {
    removeCheckpoint(entry.path);
    checkpoints_.push_back(entry);
}

void RunModel::removeCheckpoint(const QString& path) {
    std::erase_if(checkpoints_, [&path](const CheckpointEntry& e) { return e.path == path; });
}

void RunModel::take(const StartedEvent& event) {
    started_ = event;
    end_.reset();
    stopsAfterEpoch_ = false;
    forgetRecent();
    if (!loss_.isEmpty() && loss_.points().back().x > static_cast<double>(event.firstStep))
        rewind(event.firstStep);
    setState(RunState::Running);
    emit happened(
        {{}, tr("Training begins at step %1 of %2").arg(event.firstStep).arg(event.totalSteps), {}},
        false);
}

void RunModel::take(const StepEvent& event) {
    const auto x = static_cast<double>(event.step);
    lastStep_ = event;
    loss_.append(x, event.loss);
    smoothedLoss_.append(x, smoother_.add(event.loss));
    learningRate_.append(x, event.learningRate);
    gradientNorm_.append(x, event.gradientNorm);
    stepSeconds_.append(x, event.stepSeconds);
    smoothedNorm_.append(x, normSmoother_.add(event.gradientNorm));
    pushRecent(recentSeconds_, event.stepSeconds + event.dataWaitSeconds);
    pushRecent(recentWaits_, event.dataWaitSeconds);
    pushRecent(recentSamples_, static_cast<double>(event.samples));
}

void RunModel::take(const EpochEvent& event) {
    emit happened({{},
                   tr("Epoch %1: mean loss %2 in %3")
                       .arg(event.epoch)
                       .arg(decimalText(event.meanLoss, 'g', 5))
                       .arg(durationText(event.seconds)),
                   {}},
                  false);
}

void RunModel::take(const EvalEvent& event) {
    const auto x = static_cast<double>(event.step);
    lastEval_ = event;
    validationLoss_.append(x, event.loss);
    if (event.isBest) {
        bests_.emplace_back(event.step, event.loss);
        markBest();
    }
    for (const auto& [key, value] : event.metrics) metrics_[key].append(x, value);
    emit happened(
        {{},
         tr("Step %1: validation loss %2").arg(event.step).arg(decimalText(event.loss, 'g', 5)),
         {}},
        false);
}

void RunModel::take(const CheckpointEvent& event) {
    putCheckpoint({event.step, text(event.kind), text(event.path)});
    hasOtherCheckpoints_ = true;
    // The best evaluation and a pause have their own marks, and there would be too many of further
    // good ones.
    const bool isMarked = event.kind != "best" && event.kind != "kept" && event.kind != "pause";
    if (isMarked) markCheckpoint(event);
    emit happened(
        {{}, tr("Checkpoint of step %1: %2").arg(event.step).arg(pathText(text(event.path))), {}},
        false);
}

void RunModel::take(const CheckpointRemovedEvent& event) {
    const QString path = text(event.path);
    removeCheckpoint(path);
    hasOtherCheckpoints_ = true;
    emit happened({{}, tr("Checkpoint no longer kept: %1").arg(pathText(path)), {}}, false);
}

void RunModel::take(const WarningEvent& event) {
    warnings_.push_back(event);
    emit happened({{}, text(event.message), hintText(event.hint)}, true);
}

void RunModel::take(const LearningRateEvent& event) {
    rateByHand_ = !event.followsSchedule;
    const QString rate = decimalText(event.learningRate, 'g', 4);
    mark(RunMark::Kind::LearningRate, event.step,
         event.followsSchedule ? tr("rate by schedule") : tr("rate %1").arg(rate));
    const QString how = event.followsSchedule
                            ? tr("Step %1: the learning rate follows the schedule again")
                            : tr("Step %1: the learning rate was set to %2");
    emit happened(
        {{}, event.followsSchedule ? how.arg(event.step) : how.arg(event.step).arg(rate), {}},
        false);
}

void RunModel::take(const RolledBackEvent& event) {
    rewind(event.step);
    mark(RunMark::Kind::RolledBack, event.step, tr("back from %1").arg(event.fromStep));
    lastStep_.reset();
    started_.firstStep = event.step;
    rateByHand_ = false;
    forgetRecent();
    setState(RunState::Stopped);
    emit happened(
        {{}, tr("Rolled back from step %1 to step %2").arg(event.fromStep).arg(event.step), {}},
        false);
}

void RunModel::take(const LayersEvent& event) {
    layers_ = std::make_shared<const LayersEvent>(event);
    layerHistory_.add(event);
}

void RunModel::take(const PausedEvent& event) {
    mark(RunMark::Kind::Paused, event.step, tr("paused"));
    if (state_ == RunState::Running) setState(RunState::Paused);
}

void RunModel::take(const ResumedEvent&) {
    if (state_ == RunState::Paused) setState(RunState::Running);
}

void RunModel::take(const EndEvent& event) {
    end_ = event;
    const bool failed = event.outcome == RunOutcome::Failed;
    const QString how = !failed ? tr("Training ended after step %1").arg(event.step)
                        : event.step == 0
                            ? tr("Training could not start: %1").arg(text(event.message))
                            : tr("Training failed at step %1: %2")
                                  .arg(QString::number(event.step), text(event.message));
    emit happened({{}, how, hintText(event.hint)}, failed);
    switch (event.outcome) {
        case RunOutcome::Finished: return setState(RunState::Finished);
        case RunOutcome::Stopped: return setState(RunState::Stopped);
        case RunOutcome::Failed: return setState(RunState::Failed);
    }
}

Problem RunModel::problem() const {
    if (!end_ || end_->outcome != RunOutcome::Failed) return {};
    // Further lines, which only some errors have, are for investigation.
    const QString title = end_->step == 0 ? tr("Training could not start")
                                          : tr("Training stopped at step %1").arg(end_->step);
    return {end_->code.empty() ? title : tr("%1 (%2)").arg(title, text(end_->code)),
            text(end_->message).section('\n', 0, 0), text(end_->hint), false, failureDetails()};
}

/// As in the log of the run, in English, for reports and searching.
QString RunModel::failureDetails() const {
    QStringList lines{text(end_->message)};
    const auto add = [&lines](const char* what, const QString& value) {
        if (!value.isEmpty()) lines << QStringLiteral("%1: %2").arg(QLatin1String(what), value);
    };
    add("hint", text(end_->hint));
    add("code", text(end_->code));
    add("node", text(end_->node));
    add("step", QString::number(end_->step));
    if (end_->goodStep) add("last good step", QString::number(*end_->goodStep));
    add("seconds", QString::number(end_->seconds, 'f', 1));
    if (lastStep_) {
        add("loss", QString::number(lastStep_->loss));
        add("learning rate", QString::number(lastStep_->learningRate));
        add("gradient norm", QString::number(lastStep_->gradientNorm));
    }
    return lines.join('\n');
}

int64_t RunModel::step() const { return lastStep_ ? lastStep_->step : started_.firstStep; }

double RunModel::samplesPerSecond() const {
    const double seconds = std::accumulate(recentSeconds_.begin(), recentSeconds_.end(), 0.0);
    const double samples = std::accumulate(recentSamples_.begin(), recentSamples_.end(), 0.0);
    return seconds > 0 ? samples / seconds : 0;
}

double RunModel::dataWaitShare() const {
    const double seconds = std::accumulate(recentSeconds_.begin(), recentSeconds_.end(), 0.0);
    const double waits = std::accumulate(recentWaits_.begin(), recentWaits_.end(), 0.0);
    return seconds > 0 ? waits / seconds : 0;
}

double RunModel::currentSmoothedLoss() const {
    return smoothedLoss_.isEmpty() ? 0 : smoothedLoss_.points().back().y;
}

std::optional<double> RunModel::bestValidationLoss() const {
    const auto& best = validationLoss_.minimum();
    return best ? std::optional(best->y) : std::nullopt;
}

std::optional<int64_t> RunModel::bestStep() const {
    return bests_.empty() ? std::nullopt : std::optional(bests_.back().first);
}

std::optional<RemainingTime> RunModel::remaining() const {
    if (!isActive() || recentSeconds_.size() < kStepsBeforeEstimate) return std::nullopt;
    const double median = medianOf(recentSeconds_);
    std::vector<double> deviations;
    for (const double seconds : recentSeconds_) deviations.push_back(std::abs(seconds - median));
    const double deviation = medianOf(std::move(deviations));
    const auto left = static_cast<double>(std::max<int64_t>(0, totalSteps() - step()));
    return RemainingTime{left * std::max(0.0, median - deviation), left * (median + deviation)};
}

QString metricLabel(const std::string& key) {
    if (key == "mae" || key == "rmse" || key == "auc") return text(key).toUpper();
    QString label = text(key).replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!label.isEmpty()) label[0] = label[0].toUpper();
    return engineText(label.toStdString());
}

QString metricText(const std::string& key, double value) {
    if (key == "accuracy") return QStringLiteral("%1 %").arg(decimalText(100 * value, 'f', 1));
    return decimalText(value, 'g', 4);
}

QString durationText(double seconds) {
    const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
    if (whole < 60) return RunModel::tr("%1 s").arg(whole);
    if (whole < 3600)
        return RunModel::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return RunModel::tr("%1 h %2 min")
        .arg(whole / 3600)
        .arg((whole / 60) % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace temper::ui
