// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/data/dataset.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Measures the running statistics of the norms that restoreNorms() added: mean and variance of
/// each channel of their inputs in the first batches of the run, with the model in inference mode.
/// Scales and shifts are adjusted, so that inference results do not change: scale' = scale sqrt(v'
/// + e) / sqrt(v + e), shift' = shift + (m' - m) scale / sqrt(v + e). Does nothing for a model
/// without such norms.
/// Throws: as batchFields(); Error(Io) for data that can't be read.
void measureNormStatistics(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           uint64_t seed);

/// The artifacts with a checkpoint that has these statistics, ready to be written.
/// Throws: as measureNormStatistics() and TrainingSession.
Artifacts withMeasuredNorms(Artifacts artifacts, std::shared_ptr<const OpSet> ops,
                            const Dataset& data, const std::map<std::string, std::string>& binding,
                            int64_t batchSize, uint64_t seed);

}  // namespace temper
