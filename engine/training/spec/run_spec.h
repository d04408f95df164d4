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

/// What determines a run over artifacts. runSettings() says what each member does and which values
/// it may have.
struct RunSpec {
    std::string data;
    std::string evalData;  ///< empty: none
    /// Model input to data column; missing inputs are bound by name, type and shape.
    std::map<std::string, std::string> binding;
    int64_t epochs = 10;
    int64_t steps = 0;
    int64_t batchSize = 32;
    double learningRate = kDefaultLearningRate;
    Selection schedule{"constant", {}};
    int64_t accumulate = 1;
    int64_t slices = 0;
    bool synchronizeBatchNorms = false;
    double clipNorm = 0;
    double clipValue = 0;
    double averageDecay = 0;
    bool evaluateAverage = false;
    SessionOptions session;
    std::vector<std::string> metrics;  ///< empty: those that fit the loss
    int64_t evaluateEvery = 0;
    int64_t saveEvery = 0;
    std::string saveFolder;  ///< empty: no checkpoints are written
    bool saveOnPause = false;
    std::string bestMetric = "loss";
    int64_t keepBest = 1;
    int64_t earlyStopPatience = 0;
    double earlyStopMinDelta = 0;
    double timeLimit = 0;  ///< seconds, anew after each start
    bool divergenceGuard = true;

    bool operator==(const RunSpec&) const = default;
};

}  // namespace temper
