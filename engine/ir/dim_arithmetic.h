// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/type.h"

namespace temper {

// Arithmetic with dimensions. The result is unknown if an operand is, or if it is negative.
// Throws: Error(InvalidInput) naming the operands if the result does not fit into 64 bits.

Dim sumOf(const Dim& a, const Dim& b);
Dim sumOf(const Dim& dim, int64_t number);
Dim productOf(const Dim& a, const Dim& b);
/// A factor of 1 keeps symbols.
Dim productOf(const Dim& dim, int64_t factor);
/// dim / divisor, rounded down; `divisor` is at least 1.
Dim quotientOf(const Dim& dim, int64_t divisor);

/// Whether `divisor` is at least 1 and divides the dimension, as far as that is known.
bool mayDivide(int64_t divisor, const Dim& dim);

}  // namespace temper
