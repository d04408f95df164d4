// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

void RunModel::reset() {
    started_ = {};
    lastStep_.reset();
    lastEval_.reset();
    end_.reset();
    warnings_.clear();
    for (Curve* curve : {&loss_, &smoothedLoss_, &validationLoss_, &learningRate_, &gradientNorm_})
        curve->clear();
    metrics_.clear();
    bestValidationLoss_.reset();
    smoother_ = Smoother();
    smoothed_ = 0;
    recentSeconds_.clear();
    recentSamples_.clear();
    emit updated();
}

void RunModel::apply(std::span<const RunEvent> events) {
    if (events.empty()) return;
    for (const RunEvent& event : events)
        std::visit([this](const auto& fact) { take(fact); }, event.fact);
    emit updated();
}

void RunModel::clearCheckpoints() {
    checkpoints_.clear();
    emit checkpointsChanged();
}

void RunModel::addCheckpoint(const CheckpointEntry& entry) {
    std::erase_if(checkpoints_, [&](const CheckpointEntry& e) { return e.path == entry.path; });
    checkpoints_.push_back(entry);
    emit checkpointsChanged();
}

void RunModel::take(const StartedEvent& event) {
    started_ = event;
    end_.reset();
    recentSeconds_.clear();
    recentSamples_.clear();
    setState(RunState::Running);
    emit happened(
        {{}, tr("Training begins at step %1 of %2").arg(event.firstStep).arg(event.totalSteps), {}},
        false);
}

void RunModel::take(const StepEvent& event) {
    const auto x = static_cast<double>(event.step);
    lastStep_ = event;
    smoothed_ = smoother_.add(event.loss);
    loss_.append(x, event.loss);
    smoothedLoss_.append(x, smoothed_);
    learningRate_.append(x, event.learningRate);
    gradientNorm_.append(x, event.gradientNorm);
    pushRecent(recentSeconds_, event.stepSeconds + event.dataWaitSeconds);
    pushRecent(recentSamples_, static_cast<double>(event.samples));
}

void RunModel::take(const EpochEvent& event) {
    emit happened({{},
                   tr("Epoch %1: mean loss %2 in %3")
                       .arg(event.epoch)
                       .arg(event.meanLoss, 0, 'g', 5)
                       .arg(durationText(event.seconds)),
                   {}},
                  false);
}

void RunModel::take(const EvalEvent& event) {
    const auto x = static_cast<double>(event.step);
    lastEval_ = event;
    validationLoss_.append(x, event.loss);
    if (!bestValidationLoss_ || event.loss < *bestValidationLoss_) bestValidationLoss_ = event.loss;
    for (const auto& [key, value] : event.metrics) metrics_[key].append(x, value);
    emit happened(
        {{}, tr("Step %1: validation loss %2").arg(event.step).arg(event.loss, 0, 'g', 5), {}},
        false);
}

void RunModel::take(const CheckpointEvent& event) {
    addCheckpoint({event.step, text(event.kind), text(event.path)});
    emit happened({{}, tr("Checkpoint of step %1: %2").arg(event.step).arg(text(event.path)), {}},
                  false);
}

void RunModel::take(const WarningEvent& event) {
    warnings_.push_back(event);
    emit happened({{}, text(event.message), text(event.hint)}, true);
}

void RunModel::take(const PausedEvent&) {
    if (state_ == RunState::Running) setState(RunState::Paused);
}

void RunModel::take(const ResumedEvent&) {
    if (state_ == RunState::Paused) setState(RunState::Running);
}

void RunModel::take(const EndEvent& event) {
    end_ = event;
    const bool failed = event.outcome == RunOutcome::Failed;
    const QString how = failed ? tr("Training failed at step %1: %2")
                                     .arg(QString::number(event.step), text(event.message))
                               : tr("Training ended after step %1").arg(event.step);
    emit happened({{}, how, text(event.hint)}, failed);
    switch (event.outcome) {
        case RunOutcome::Finished: return setState(RunState::Finished);
        case RunOutcome::Stopped: return setState(RunState::Stopped);
        case RunOutcome::Failed: return setState(RunState::Failed);
    }
}

Problem RunModel::problem() const {
    if (!end_ || end_->outcome != RunOutcome::Failed) return {};
    return {tr("Training stopped at step %1").arg(end_->step), text(end_->message),
            text(end_->hint)};
}

int64_t RunModel::step() const { return lastStep_ ? lastStep_->step : started_.firstStep; }

double RunModel::samplesPerSecond() const {
    const double seconds = std::accumulate(recentSeconds_.begin(), recentSeconds_.end(), 0.0);
    const double samples = std::accumulate(recentSamples_.begin(), recentSamples_.end(), 0.0);
    return seconds > 0 ? samples / seconds : 0;
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
    return label;
}

QString metricText(const std::string& key, double value) {
    if (key == "accuracy") return QStringLiteral("%1 %").arg(100 * value, 0, 'f', 1);
    return QString::number(value, 'g', 4);
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
