// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/training/spec/choice.h"
#include "engine/training/spec/session_options.h"

namespace temper {

/// Of the first step, unless a user or a checkpoint says otherwise.
inline constexpr double kDefaultLearningRate = 1e-3;

/// What determines a run over artifacts. For the allowed values, see runSettings().
struct RunSpec {
    std::string data;      ///< data specification of the training samples
    std::string evalData;  ///< of the evaluation samples; empty: none
    /// Model input to data column; missing inputs are bound by name, type and shape.
    std::map<std::string, std::string> binding;
    int64_t epochs = 10;
    int64_t steps = 0;  ///< > 0: optimizer steps to do, whatever the epochs
    int64_t batchSize = 32;
    double learningRate = kDefaultLearningRate;
    Selection schedule{"constant", {}};
    int64_t accumulate = 1;  ///< batches whose gradients are averaged for one optimizer step
    int64_t slices = 0;      ///< > 0: into which each batch is cut, for ranks to share out
    bool synchronizeBatchNorms = false;  ///< they use the statistics of all slices of a batch
    double clipNorm = 0;                 ///< > 0: gradients are clipped to this global norm
    double clipValue = 0;     ///< > 0: each gradient number is clamped to [-clipValue, clipValue]
    double averageDecay = 0;  ///< > 0: a moving average of the weights is kept; 0.999
    bool evaluateAverage = false;  ///< evaluations use the average instead of the weights
    SessionOptions session;
    std::vector<std::string> metrics;  ///< empty: those that fit the loss
    int64_t evaluateEvery = 0;         ///< optimizer steps; 0: at the end of each epoch
    int64_t saveEvery = 0;             ///< optimizer steps; 0: at the end of each epoch
    std::string saveFolder;            ///< empty: no checkpoints are written
    bool saveOnPause = false;          ///< a checkpoint at each pause
    std::string bestMetric = "loss";   ///< whose best evaluation is kept
    int64_t keepBest = 1;              ///< number of best evaluations to keep: see BestCheckpoints
    int64_t earlyStopPatience = 0;     ///< evaluations without improvement; 0: off
    double earlyStopMinDelta = 0;      ///< smaller improvements do not count
    double timeLimit = 0;              ///< seconds without pauses, anew after each start; 0: none
    bool divergenceGuard = true;       ///< a finite loss that diverges fails: DivergenceWatch

    bool operator==(const RunSpec&) const = default;
};

}  // namespace temper
