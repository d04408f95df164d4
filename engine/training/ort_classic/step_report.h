// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper::classic {

/// The property of the state that keeps a dynamic loss scale for resumed runs.
inline constexpr const char* kLossScaleProperty = "temper.loss_scale";
inline constexpr const char* kFiniteStepsProperty = "temper.loss_scale_finite_steps";

/// What a training run did after the gradients.
struct StepReport {
    bool endsStep = false;    ///< it was the last batch of an optimizer step
    bool isUpdated = false;   ///< the optimizer changed the weights
    double gradientNorm = 0;  ///< of the averaged, unscaled gradients, before clipping
    float lossScale = 1;      ///< used for the gradients
};

}  // namespace temper::classic
