// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// A checkpoint may be damaged, or that of another model. Throws: Error(InvalidInput) if `moment`,
/// the `name` ("momentum0") of this parameter, has another shape, or is not a floating-point
/// tensor.
void requireMomentFits(const Parameter& parameter, const std::string& name, const Tensor& moment);

}  // namespace temper
