// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

namespace temper {

/// Converts a floating-point number to an integer, towards zero. A number outside the type's range
/// becomes the nearest one in it, and NaN 0: for these C++ leaves a static_cast undefined.
template <std::integral To, std::floating_point From>
To saturatedCast(From value) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value)) return 0;
    if (value >= std::ldexp(From{1}, Limits::digits)) return Limits::max();
    if (value < static_cast<From>(Limits::min())) return Limits::min();
    return static_cast<To>(value);
}

}  // namespace temper
