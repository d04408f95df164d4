// SPDX-License-Identifier: Apache-2.0
#include "engine/training/export/output_deviation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace temper {

double difference(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double distance = std::abs(a - b);
    return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

bool OutputDeviation::isWithin(double tolerance) const {
    return largest <= tolerance * std::max(1.0, magnitude);
}

OutputDeviation deviationOf(std::span<const Tensor> found, std::span<const Tensor> expected) {
    OutputDeviation deviation;
    for (size_t i = 0; i < expected.size(); ++i) {
        if (found[i].shape() != expected[i].shape()) {
            deviation.largest = std::numeric_limits<double>::infinity();
            continue;
        }
        const Tensor a = found[i].cast(DType::Float64), b = expected[i].cast(DType::Float64);
        const auto left = a.values<double>(), right = b.values<double>();
        for (size_t n = 0; n < right.size(); ++n) {
            deviation.largest = std::max(deviation.largest, difference(left[n], right[n]));
            if (std::isfinite(right[n]))
                deviation.magnitude = std::max(deviation.magnitude, std::abs(right[n]));
        }
    }
    return deviation;
}

}  // namespace temper
