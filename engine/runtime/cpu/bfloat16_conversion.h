// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/core/half.h"

namespace temper::simd {

// The numbers of floatFromBFloat16() and bfloat16FromFloat(), with the widest vector instructions
// of the machine, on the calling thread.

/// Rounds to nearest, ties to even; NaN stays NaN.
void toBFloat16(const float* from, BFloat16* to, int64_t count);
void fromBFloat16(const BFloat16* from, float* to, int64_t count);

}  // namespace temper::simd
