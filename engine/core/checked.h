// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper {

// Arithmetic with numbers that a model decides: sizes, attributes, constants that are shapes.

/// a + b. Throws: Error(InvalidInput) naming both if the sum does not fit into 64 bits.
int64_t checkedSum(int64_t a, int64_t b);

/// a b. Throws: Error(InvalidInput) naming both if the product does not fit into 64 bits.
int64_t checkedProduct(int64_t a, int64_t b);

}  // namespace temper
