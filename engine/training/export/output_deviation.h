// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/core/tensor.h"

namespace temper {

/// |a - b|. Two NaNs are equal, and so are infinities of the same sign; a value that is not finite
/// is infinitely far from all others.
double difference(double a, double b);

/// How far the outputs of an exported model are from those of the model that it was made from.
struct OutputDeviation {
    double largest = 0;    ///< over all outputs; infinite also if shapes differ
    double magnitude = 0;  ///< the largest finite absolute value expected

    /// `tolerance`: times the magnitude, which counts as at least 1.
    bool isWithin(double tolerance) const;
};

/// Of as many outputs in the same order.
OutputDeviation deviationOf(std::span<const Tensor> found, std::span<const Tensor> expected);

}  // namespace temper
