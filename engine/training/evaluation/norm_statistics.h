// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/data/dataset.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Measures the running statistics of the norms that restoreNorms() put back: mean and variance of
/// each channel of their inputs in the first batches of the run, in which the model is in
/// inference. Scales and shifts move along, so that the model computes in inference what it did:
/// scale' = scale sqrt(v' + e) / sqrt(v + e), shift' = shift + (m' - m) scale / sqrt(v + e).
/// Nothing happens for a model without such norms.
/// Throws: as batchFields(); Error(Io) for data that can't be read.
void measureNormStatistics(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           uint64_t seed);

/// The artifacts with a checkpoint that has these statistics, to be written to files.
/// Throws: as measureNormStatistics() and TrainingSession.
Artifacts withMeasuredNorms(Artifacts artifacts, std::shared_ptr<const OpSet> ops,
                            const Dataset& data, const std::map<std::string, std::string>& binding,
                            int64_t batchSize, uint64_t seed);

}  // namespace temper
