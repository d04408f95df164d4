// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/training/spec/choice.h"
#include "engine/training/spec/session_options.h"

namespace temper {

/// What decides a run over artifacts. What each choice may be is in runSettings().
struct RunSpec {
    std::string data;      ///< data specification of the training samples
    std::string evalData;  ///< of the evaluation samples; empty: none
    /// Model input to data column; inputs that are missing are bound by name, type and shape.
    std::map<std::string, std::string> binding;
    int64_t epochs = 10;
    int64_t steps = 0;  ///< > 0: optimizer steps to do, whatever the epochs
    int64_t batchSize = 32;
    double learningRate = 1e-3;
    Selection schedule{"constant", {}};
    int64_t accumulate = 1;  ///< batches whose gradients are averaged for one optimizer step
    double clipNorm = 0;     ///< > 0: gradients are scaled to this global norm at most
    double clipValue = 0;  ///< > 0: each number of the gradients is cut to [-clipValue, clipValue]
    double averageDecay = 0;       ///< > 0: a moving average of the weights is kept; 0.999
    bool evaluateAverage = false;  ///< evaluations look at the average, not at the weights
    SessionOptions session;
    std::vector<std::string> metrics;  ///< empty: those that fit the loss
    int64_t evaluateEvery = 0;         ///< optimizer steps; 0: at the end of each epoch
    int64_t saveEvery = 0;             ///< optimizer steps; 0: at the end of each epoch
    std::string saveFolder;            ///< empty: no checkpoints are written
    bool saveOnPause = false;          ///< a checkpoint at each pause
    std::string bestMetric = "loss";   ///< whose best evaluation is kept
    int64_t keepBest = 1;              ///< so many of the best evaluations: see BestCheckpoints
    int64_t earlyStopPatience = 0;     ///< evaluations without improvement; 0: off
    double earlyStopMinDelta = 0;      ///< improvements that are no larger do not count
    double timeLimit = 0;              ///< seconds without pauses, anew after each start; 0: none
    bool divergenceGuard = true;       ///< a finite loss that runs away fails: DivergenceWatch

    bool operator==(const RunSpec&) const = default;
};

}  // namespace temper
