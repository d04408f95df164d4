// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/training/evaluation/evaluation.h"
#include "engine/training/trainer/trainer.h"

namespace temper {

/// The evaluations of a run: on its evaluation samples, with the metrics that it requests.
class RunEvaluation {
public:
    /// All are kept as references. `bestMetric`: the one that the run is judged by, "loss" or a
    /// metric.
    /// `group`: ranks that share out the samples and get the same result; null: none.
    RunEvaluation(TrainingSession& session, const TrainerData& data, const RunSpec& spec,
                  const std::string& bestMetric, Group* group = nullptr)
        : session_(session), data_(data), spec_(spec), bestMetric_(bestMetric), group_(group) {}

    /// What would fail at the first evaluation fails at once.
    /// Throws: Error(InvalidInput) for samples that do not fit the model, and for metrics that are
    /// unknown or do not fit the loss.
    void check();

    /// With the weights or, if requested, with their average.
    /// Returns: nothing if the run was requested to stop before all samples were seen.
    std::optional<Evaluation> evaluate(const RunControl& control) const;

    /// The value that the run is judged by.
    double valueOf(const Evaluation& evaluation) const;

private:
    std::vector<std::string> metricsFor(const std::string& loss) const;

    TrainingSession& session_;
    const TrainerData& data_;
    const RunSpec& spec_;
    const std::string& bestMetric_;
    Group* group_;
    std::vector<std::string> metrics_;  ///< of each evaluation
};

}  // namespace temper
