// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/training/training_session.h"

namespace temper::cli {

/// How well the gradient of one parameter agrees with differences of the loss.
struct GradientCheck {
    std::string name;
    double maxRelativeError = 0;
};

/// Compares the gradients of a train step with differences of its loss to both sides: along the
/// gradient, along random parts of it, and for single elements. The error is how far the gradient
/// lies outside of the two slopes and of rounding, relative to the slope or to the gradient's
/// typical element where that is larger; of several step widths the best counts. What float32 can't
/// resolve is not found. The parameters are as before afterwards. The worst parameter comes first.
std::vector<GradientCheck> checkGradients(TrainingSession& session, std::span<const Tensor> inputs,
                                          uint64_t seed);

}  // namespace temper::cli
