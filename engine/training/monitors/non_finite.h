// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "engine/training/monitors/step_error.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// A number of a run became NaN or infinite.
class NonFiniteError : public StepError {
public:
    /// `node`: name of the node, parameter or input that it comes from, or empty.
    NonFiniteError(const std::string& message, std::string hint, std::string node);
};

/// Throws: NonFiniteError where `value`, `what` of the latest train step over `inputs` ("loss"), is
/// NaN or infinite: it names where such a number came up first and what to do about it. The
/// gradients are not complete then.
void requireFinite(TrainingSession& session, std::span<const Tensor> inputs, double value,
                   const char* what);

/// The same for the loss of an evaluation between steps; `inputs` are those of a train step over
/// its samples, or none where such a step can't be made.
void requireFiniteEvaluation(TrainingSession& session, std::span<const Tensor> inputs, double loss);

}  // namespace temper
