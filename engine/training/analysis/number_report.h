// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/training/analysis/prediction_set.h"

namespace temper {

/// How far predicted numbers are from the targets.
struct NumberFigures {
    double meanAbsolute = 0;
    double rootMeanSquare = 0;
    /// 1 - squared errors / squared distances of the targets from their mean; NaN if all targets
    /// are equal.
    double r2 = 0;
    double bias = 0;  ///< mean of predicted - target
};

/// For one output of the model, or for all together if `output` < 0 (R2: mean of the outputs).
NumberFigures numbersOf(const PredictionSet& set, int64_t output = -1);

/// Predicted minus target, by entry.
std::vector<double> residualsOf(const PredictionSet& set, int64_t output);

}  // namespace temper
