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

/// Compares the gradients of a train step with central differences of its loss: along the
/// gradient, along random parts of it, and for single elements, each with several step widths, of
/// which the best counts. Differences below the rounding noise of the loss count as none.
/// The parameters are as before afterwards. The worst parameter comes first.
std::vector<GradientCheck> checkGradients(TrainingSession& session, std::span<const Tensor> inputs,
                                          uint64_t seed);

}  // namespace temper::cli
