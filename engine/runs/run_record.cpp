// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_record.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

namespace temper {
namespace {

struct Sorter {
    RunRecord& record;

    void operator()(const StartedEvent& fact) const {
        record.started = fact;
        record.end.reset();  // a run that had ended continues
    }
    void operator()(const StepEvent& fact) const { record.steps.push_back(fact); }
    void operator()(const EpochEvent& fact) const { record.epochs.push_back(fact); }
    void operator()(const EvalEvent& fact) const { record.evaluations.push_back(fact); }
    void operator()(const CheckpointEvent& fact) const {
        forget(fact.path);  // overwritten
        record.checkpoints.push_back(fact);
    }
    void operator()(const CheckpointRemovedEvent& fact) const { forget(fact.path); }
    void operator()(const WarningEvent& fact) const { record.warnings.push_back(fact); }
    void operator()(const PausedEvent&) const {}
    void operator()(const ResumedEvent&) const {}
    void operator()(const LearningRateEvent&) const {}
    void operator()(const RolledBackEvent& fact) const { record.forgetAfter(fact.step); }
    void operator()(const LayersEvent&) const {}
    void operator()(const EndEvent& fact) const { record.end = fact; }

    void forget(const std::string& path) const {
        std::erase_if(record.checkpoints, [&path](const CheckpointEvent& checkpoint) {
            return checkpoint.path == path;
        });
    }
};

double valueOf(const EvalEvent& evaluation, const std::string& metric) {
    if (metric == "loss") return evaluation.loss;
    const auto found = evaluation.metrics.find(metric);
    if (found == evaluation.metrics.end()) return std::numeric_limits<double>::quiet_NaN();
    return found->second;
}

}  // namespace

void RunRecord::add(const RunEvent& event) { std::visit(Sorter{*this}, event.fact); }

void RunRecord::forgetAfter(int64_t step) {
    const auto isLater = [step](const auto& fact) { return fact.step > step; };
    std::erase_if(steps, isLater);
    std::erase_if(epochs, isLater);
    std::erase_if(evaluations, isLater);
}

bool isHigherBetter(const std::string& metric) {
    constexpr std::array<std::string_view, 8> kLowerIsBetter{
        "loss", "error", "mae", "mse", "rmse", "perplexity", "distance", "deviation"};
    for (const std::string_view word : kLowerIsBetter) {
        if (metric.find(word) != std::string::npos) return false;
    }
    return true;
}

const EvalEvent* bestEvaluation(const RunRecord& record, const std::string& metric) {
    const bool higher = isHigherBetter(metric);
    const EvalEvent* best = nullptr;
    for (const EvalEvent& evaluation : record.evaluations) {
        const double value = valueOf(evaluation, metric);
        if (!std::isfinite(value)) continue;
        const double bar = best != nullptr ? valueOf(*best, metric) : value;
        if (best == nullptr || (higher ? value > bar : value < bar)) best = &evaluation;
    }
    return best;
}

std::vector<std::string> metricNames(const RunRecord& record) {
    std::set<std::string> names;
    for (const EvalEvent& evaluation : record.evaluations) {
        for (const auto& [name, value] : evaluation.metrics) names.insert(name);
    }
    return {names.begin(), names.end()};
}

}  // namespace temper
