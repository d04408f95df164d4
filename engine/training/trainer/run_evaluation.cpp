// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/run_evaluation.h"

#include <algorithm>

#include "engine/core/interruption.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/session/weight_average.h"

namespace temper {

void RunEvaluation::check() {
    for (const std::string& key : spec_.metrics) requireKnownMetric(key);
    requireKnownMetric(bestMetric_);
    if (!data_.evaluation) return;
    batchFields(session_, *data_.evaluation, data_.binding, false);
    if (!session_.artifacts().evalModel) return;  // evaluateDataset() reports it
    const std::string loss = describeLoss(*session_.artifacts().evalModel).kind;
    metrics_ = metricsFor(loss);
    for (const std::string& key : metrics_) {
        if (key != "loss") makeMetric(key, loss);
    }
}

/// The requested ones, or else those that fit the loss, and the one that the run is judged by.
std::vector<std::string> RunEvaluation::metricsFor(const std::string& loss) const {
    std::vector<std::string> keys = spec_.metrics.empty() ? defaultMetrics(loss) : spec_.metrics;
    if (bestMetric_ != "loss" && std::ranges::count(keys, bestMetric_) == 0) {
        keys.push_back(bestMetric_);
    }
    return keys;
}

std::optional<Evaluation> RunEvaluation::evaluate(const RunControl& control) const {
    std::optional<AveragedWeights> averaged;
    if (spec_.evaluateAverage) averaged.emplace(session_.state());
    if (group_ != nullptr) {
        return evaluateTogether(session_, *data_.evaluation, data_.binding, spec_.batchSize,
                                metrics_, *group_);
    }
    try {
        Evaluation result =
            evaluateDataset(session_, *data_.evaluation, data_.binding, spec_.batchSize, metrics_,
                            [&control] { return control.isStopping(); });
        if (!control.isStopping()) return result;
    } catch (const Interrupted&) {
        if (!control.isStopping()) throw;
    }
    return std::nullopt;
}

double RunEvaluation::valueOf(const Evaluation& evaluation) const {
    return bestMetric_ == "loss" ? evaluation.loss : evaluation.metrics.at(bestMetric_);
}

}  // namespace temper
