// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/divergence_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "engine/core/counted.h"
#include "engine/ir/graph.h"
#include "engine/training/session/training_session.h"

namespace temper {
namespace {

/// A mean over this many samples is enough to know what is usual.
constexpr int64_t kSamplesToTrust = 16;
constexpr double kUsual = 10;  ///< healthy first losses are at most this many times the very first
constexpr double kCalm = 2;    ///< spreads above the lowest level
constexpr double kNearlyAll = 0.1;  ///< maximum remaining share of what was learned

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string messageOf(const Divergence& divergence, const std::string& parameter) {
    return "The loss rose and stays high: smoothed over " +
           counted(DivergenceWatch::kWindow, "step") + " it is " + shortNumber(divergence.level) +
           " at step " + std::to_string(divergence.step) + ", " + shortNumber(divergence.best) +
           " was its best at step " + std::to_string(divergence.bestStep) +
           ", and it has been above " + shortNumber(divergence.limit) + " since step " +
           std::to_string(divergence.since) +
           (parameter.empty() ? "." : "; the largest gradients are those of '" + parameter + "'.");
}

/// The quantile `at`; of two values, the smaller one.
double quantile(std::vector<double>& values, double at) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(at * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

}  // namespace

DivergenceWatch::Level DivergenceWatch::levelOf(std::vector<double> losses) {
    return {quantile(losses, 0.5), (quantile(losses, 0.75) - quantile(losses, 0.25)) / 2};
}

/// The very first step shows an untrained model. With a rate that is far too high the second one
/// may already be lost: it must not determine what is usual, nor what is noise.
void DivergenceWatch::noteFirst(const StepEvent& step) {
    if (first_.empty()) {
        const bool isTrusted = step.samples >= kSamplesToTrust;
        ceiling_ = isTrusted ? kUsual * std::max(1.0, std::abs(step.loss)) : HUGE_VAL;
    }
    first_.push_back(std::min(step.loss, ceiling_));
    if (first_.size() < kFirst) return;
    begin_ = levelOf(first_);
    best_ = begin_.median;
    bestStep_ = step.step;
}

void DivergenceWatch::Streak::note(double level, double theLimit, int64_t step) {
    limit = theLimit;
    if (level <= limit) {
        steps = 0;
    } else if (steps++ == 0) {
        since = step;
    }
}

double DivergenceWatch::noise() const {
    std::vector<double> spreads;
    for (const Level& level : recent_) spreads.push_back(level.spread);
    return std::min(kNoise * std::max(begin_.spread, quantile(spreads, 0.5)), ceiling_);
}

double DivergenceWatch::farLimit() const {
    return begin_.median + std::max({1.0, std::abs(begin_.median), begin_.median - best_, noise()});
}

/// No limit if there is little to lose.
double DivergenceWatch::lostLimit() const {
    const double learned = begin_.median - best_;
    const double clearly = std::max({kLearned, std::abs(begin_.median) / 2, 2 * noise()});
    return learned >= clearly ? begin_.median - kNearlyAll * learned : HUGE_VAL;
}

void DivergenceWatch::noteLevel(int64_t step) {
    const Level level = levelOf({window_.begin(), window_.end()});
    recent_.push_back(level);
    if (recent_.size() > kRecent) recent_.pop_front();
    if (level.median < best_) {
        best_ = level.median;
        bestStep_ = step;
    }
    far_.note(level.median, farLimit(), step);
    lost_.note(level.median, lostLimit(), step);
}

/// Compares with a window that has no step in common with the latest one.
bool DivergenceWatch::comesDown() const {
    return recent_.back().median < recent_[recent_.size() - 1 - kWindow].median;
}

std::optional<Divergence> DivergenceWatch::note(const StepEvent& step) {
    if (first_.size() < kFirst) noteFirst(step);
    window_.push_back(step.loss);
    if (window_.size() > kWindow) window_.pop_front();
    if (window_.size() < kWindow) return std::nullopt;
    noteLevel(step.step);
    constexpr auto kLong = static_cast<int64_t>(kWindow);
    const Streak* streak = far_.steps > kLong ? &far_ : lost_.steps > 2 * kLong ? &lost_ : nullptr;
    if (streak == nullptr || comesDown()) return std::nullopt;
    return Divergence{step.step, recent_.back().median, best_,
                      bestStep_, streak->limit,         streak->since};
}

bool DivergenceWatch::isCalm() const {
    if (recent_.empty()) return false;
    const double now = recent_.back().median;
    const auto least = std::ranges::min_element(recent_, {}, &Level::median);
    return now <= begin_.median + begin_.spread && now <= least->median + kCalm * least->spread;
}

// ---- the error ---------------------------------------------------------------------------------

DivergedError::Suspect DivergedError::suspectOf(TrainingSession& session) {
    Suspect suspect;
    double largest = 0;
    for (const Parameter& parameter : session.state().parameters()) {
        if (!parameter.requiresGrad || parameter.gradient.dtype() != DType::Float32) continue;
        double sum = 0;
        const Tensor gradient = parameter.gradient.onHost();
        for (const float value : gradient.values<float>())
            sum += static_cast<double>(value) * value;
        if (sum <= largest) continue;
        largest = sum;
        suspect.parameter = parameter.name;
    }
    const Value* value = session.artifacts().trainingModel->find(suspect.parameter);
    if (value == nullptr) return suspect;
    const auto reader = std::ranges::find_if(
        value->uses(), [](const Value::Use& use) { return !use.node->isBackward(); });
    if (reader != value->uses().end()) suspect.node = reader->node->name();
    return suspect;
}

DivergedError::DivergedError(const Divergence& divergence, TrainingSession& session)
    : DivergedError(divergence, suspectOf(session)) {}

DivergedError::DivergedError(const Divergence& divergence) : DivergedError(divergence, Suspect()) {}

DivergedError::DivergedError(const Divergence& divergence, const Suspect& suspect)
    : StepError("R002", messageOf(divergence, suspect.parameter),
                "Go back to a state before it rose, and continue with a lower learning rate (a "
                "tenth of it), with clipping (clip_norm) or a warm-up. If such losses are "
                "expected, turn off the guard (divergence_guard).",
                suspect.node) {}

}  // namespace temper
