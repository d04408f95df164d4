// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/core/tensor.h"

namespace temper::cli {

/// |actual - expected| <= absolute + relative * |expected|; NaN equals NaN.
struct Tolerance {
    double relative = 0;
    double absolute = 0;
};

/// Why `actual` differs from `expected` (another type, shape, or the largest difference); empty if
/// it does not. Integers and booleans have to be equal.
std::string mismatch(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);

}  // namespace temper::cli
