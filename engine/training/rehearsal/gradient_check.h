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
    double maxRelativeError = 0;  ///< against differences, the maximum over all directions
    /// How far the float32 gradient of a train step is from the float64 one: the norm of their
    /// difference, as a share of the norm. A ReLU whose input rounds to the other side of zero
    /// causes some thousandths of it; a wrong kernel far more.
    double roundingError = 0;

    /// A larger error is not due to rounding.
    static constexpr double kMaxRounding = 0.05;
    bool passes(double tolerance) const {
        return maxRelativeError <= tolerance && roundingError <= kMaxRounding;
    }
};

/// Compares the gradients of a train step with central differences of the loss: along the gradient,
/// along random signs, and for single elements, including the largest. Both are computed in
/// float64, so that rounding does not put them on different sides of a kink (of a ReLU, say). If an
/// operator of the backward pass has no float64 kernel, the float32 gradient is compared. At a kink
/// the gradient may be anything between the two slopes. The error is relative to the slope, or to
/// the gradient's typical element if that is larger.
/// `choices` are those that the session's artifacts were made with: the differences follow them.
/// `shouldContinue` receives, before each parameter, how many are done and how many there are, and
/// ends the check by returning false. Returns: one entry per trainable parameter that was checked,
/// worst first; the errors of a gradient that is not finite are infinite. Throws:
/// Error(Unsupported) for an operator without a float64 kernel, Error(Numeric) for a loss that is
/// not finite.
std::vector<GradientCheck> checkGradients(
    TrainingSession& session, const std::shared_ptr<const OpSet>& ops,
    std::span<const Tensor> inputs, uint64_t seed, const GradientChoices& choices = {},
    const std::function<bool(size_t done, size_t all)>& shouldContinue = {});

}  // namespace temper
