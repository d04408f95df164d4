// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/training/rehearsal/chosen_gradients.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// How well the gradient of one parameter agrees with differences of the loss.
struct GradientCheck {
    std::string name;
    double maxRelativeError = 0;  ///< against differences, the largest of all directions
    /// How far the float32 gradient of a train step is from the same in float64: the norm of what
    /// they differ by, as a share of the norm. A ReLU whose input rounds to the other side of zero
    /// makes some thousandths of it; a wrong kernel far more.
    double roundingError = 0;

    /// A rounding error above this is no rounding.
    static constexpr double kMaxRounding = 0.05;
    bool passes(double tolerance) const {
        return maxRelativeError <= tolerance && roundingError <= kMaxRounding;
    }
};

/// Compares the gradients of a train step with differences of the loss to both sides: along the
/// gradient, along random signs, and for single elements, the largest among them. Both are computed
/// in float64, so that no rounding puts them on different sides of a kink (of a ReLU, say). If an
/// operator of the backward pass has no float64 kernel, the float32 gradient is compared. At a kink
/// the gradient may be anything between the two slopes. The error is relative to the slope, or to
/// the gradient's typical element where that is larger.
/// `choices` are those that the session's artifacts were made with: the differences follow them.
/// `shouldContinue` is told before each parameter how many are done and how many there are, and
/// ends the check by false. Returns: one entry per trainable parameter that was checked, the worst
/// first. Throws: Error(Unsupported) for an operator without float64 kernel.
std::vector<GradientCheck> checkGradients(
    TrainingSession& session, const std::shared_ptr<const OpSet>& ops,
    std::span<const Tensor> inputs, uint64_t seed, const GradientChoices& choices = {},
    const std::function<bool(size_t done, size_t all)>& shouldContinue = {});

}  // namespace temper
