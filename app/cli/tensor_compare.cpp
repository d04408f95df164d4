// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tensor_compare.h"

#include <cmath>

#include "app/cli/cli_context.h"
#include "engine/core/small_types.h"
#include "engine/core/string_tensor.h"
#include "engine/training/export/output_deviation.h"

namespace temper::cli {
namespace {

std::string describe(const Tensor& tensor) {
    return std::string(dtypeName(tensor.dtype())) + formatShape(tensor.shape());
}

std::string integerMismatch(const Tensor& actual, const Tensor& expected) {
    return visitDType(expected.dtype(), [&]<typename T>() -> std::string {
        const auto left = actual.values<T>();
        const auto right = expected.values<T>();
        for (size_t i = 0; i < right.size(); ++i) {
            if (left[i] == right[i]) continue;
            return "element " + std::to_string(i) + " is " + std::to_string(left[i]) +
                   ", expected " + std::to_string(right[i]);
        }
        return {};
    });
}

std::string textMismatch(const Tensor& actual, const Tensor& expected) {
    const auto left = actual.values<std::string_view>();
    const auto right = expected.values<std::string_view>();
    for (size_t i = 0; i < right.size(); ++i) {
        if (left[i] == right[i]) continue;
        return "element " + std::to_string(i) + " is '" + std::string(left[i]) + "', expected '" +
               std::string(right[i]) + "'";
    }
    return {};
}

std::string floatMismatch(const Tensor& actual, const Tensor& expected,
                          const Tolerance& tolerance) {
    const Tensor a = actual.cast(DType::Float64);
    const Tensor b = expected.cast(DType::Float64);
    const auto left = a.values<double>();
    const auto right = b.values<double>();
    for (size_t i = 0; i < right.size(); ++i) {
        const double distance = difference(left[i], right[i]);
        const double bound = tolerance.absolute + tolerance.relative * std::abs(right[i]);
        if (distance == 0 || (std::isfinite(bound) && distance <= bound)) continue;
        return "element " + std::to_string(i) + " is " + formatNumber(left[i]) + ", expected " +
               formatNumber(right[i]);
    }
    return {};
}

}  // namespace

std::string mismatch(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
    if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
        return "it is " + describe(actual) + ", expected " + describe(expected);
    }
    if (expected.dtype() == DType::String) return textMismatch(actual, expected);
    if (isSmallInteger(expected.dtype())) {
        return integerMismatch(actual.cast(DType::Int64), expected.cast(DType::Int64));
    }
    if (isFloating(expected.dtype()) || isSmallFloat(expected.dtype()))
        return floatMismatch(actual, expected, tolerance);
    return integerMismatch(actual, expected);
}

}  // namespace temper::cli
