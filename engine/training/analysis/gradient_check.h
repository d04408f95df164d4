// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/training/training_session.h"

namespace temper {

/// How well the gradient of one parameter agrees with differences of the loss.
struct GradientCheck {
    std::string name;
    double maxRelativeError = 0;
};

/// Compares the float32 gradients of a train step with differences of the loss to both sides, which
/// is computed in float64: along the gradient, along random signs, and for single elements, the
/// largest among them. At a kink the gradient may be anything between the two slopes. The error is
/// relative to the slope, or to the gradient's typical element where that is larger.
/// `goOn` is told before each parameter how many are done and how many there are, and ends the
/// check by false.
/// Returns: one entry per trainable parameter that was checked, the worst first.
/// Throws: Error(Unsupported) for an operator without float64 kernel.
std::vector<GradientCheck> checkGradients(
    TrainingSession& session, std::shared_ptr<const OpSet> ops, std::span<const Tensor> inputs,
    uint64_t seed, const std::function<bool(size_t done, size_t all)>& goOn = {});

}  // namespace temper
