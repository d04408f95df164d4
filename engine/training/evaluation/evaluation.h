// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/distributed/group.h"
#include "engine/runs/run_event.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Result of evaluating a data set with the eval model.
struct Evaluation {
    int64_t samples = 0;
    double loss = 0;
    std::map<std::string, double> metrics;
    std::shared_ptr<const ConfusionMatrix> confusion;
};

/// Means over samples, whatever the batch size. `metrics` empty: those that fit the loss.
/// `cancelled` is polled before each batch; the result then covers the samples so far. With a fixed
/// batch size, samples that do not fill a batch are omitted. Throws: Error(State) without an eval
/// model, Error(InvalidInput) for an unknown metric.
Evaluation evaluateDataset(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           const std::vector<std::string>& metrics,
                           const std::function<bool()>& cancelled = {});

/// The same result on all ranks of the group, each of which computes some of the batches; all call
/// it. Throws: also the error of another rank.
Evaluation evaluateTogether(TrainingSession& session, const Dataset& data,
                            const std::map<std::string, std::string>& binding, int64_t batchSize,
                            const std::vector<std::string>& metrics, Group& group);

}  // namespace temper
