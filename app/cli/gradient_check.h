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

/// Compares the float32 gradients of a train step with differences of the loss to both sides, which
/// is computed in float64: along the gradient, along random signs, and for single elements, the
/// largest among them. At a kink the gradient may be anything between the two slopes. The error is
/// relative to the slope, or to the gradient's typical element where that is larger.
/// Returns: one entry per trainable parameter, the worst first.
/// Throws: Error(Unsupported) for an operator without float64 kernel.
std::vector<GradientCheck> checkGradients(TrainingSession& session,
                                          std::shared_ptr<const OpSet> ops,
                                          std::span<const Tensor> inputs, uint64_t seed);

}  // namespace temper::cli
