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

/// Throws: NonFiniteError if `value`, the `what` ("loss") of the latest train step over `inputs`,
/// is NaN or infinite: it names where such a number first occurred and what to do about it. The
/// gradients are incomplete then.
void requireFinite(TrainingSession& session, std::span<const Tensor> inputs, double value,
                   const char* what);

/// The same for a value that isn't, of which TrainingSession::findNonFinite() says `origin`.
[[noreturn]] void throwNonFinite(TrainingSession& session, double value, const char* what,
                                 const std::string& origin);

/// The same for the loss of an evaluation between steps; `inputs` are those of a train step over
/// its samples, or empty if such a step is not possible.
void requireFiniteEvaluation(TrainingSession& session, std::span<const Tensor> inputs, double loss);

}  // namespace temper
