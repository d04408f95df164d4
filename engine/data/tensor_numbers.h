// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "engine/core/half.h"
#include "engine/core/tensor.h"

namespace temper {

/// Whether the elements are real numbers: all types but strings and complex numbers.
inline bool hasNumbers(DType dtype) {
    return isInteger(dtype) || isFloating(dtype) || dtype == DType::Bool;
}

/// Converts an element of a stored type to a number.
template <typename T>
struct StoredNumber {
    using Stored = T;
    static double toDouble(T stored) { return static_cast<double>(stored); }
};
struct StoredHalf {
    using Stored = uint16_t;
    static double toDouble(uint16_t stored) { return static_cast<double>(floatFromHalf(stored)); }
};
struct StoredBFloat16 {
    using Stored = uint16_t;
    static double toDouble(uint16_t stored) {
        return static_cast<double>(floatFromBFloat16(stored));
    }
};

/// Calls f with the StoredNumber of the element type, half precision included.
/// Throws: Error(Unsupported) for types that are not numbers.
template <typename F>
decltype(auto) visitStored(DType dtype, F&& f) {
    if (dtype == DType::Float16) return f.template operator()<StoredHalf>();
    if (dtype == DType::BFloat16) return f.template operator()<StoredBFloat16>();
    return visitDType(dtype, [&]<typename T>() -> decltype(auto) {
        return f.template operator()<StoredNumber<T>>();
    });
}

/// The elements as stored.
template <typename Number>
std::span<const typename Number::Stored> storedValues(const Tensor& tensor) {
    return {reinterpret_cast<const typename Number::Stored*>(tensor.data()),
            static_cast<size_t>(tensor.numElements())};
}

/// One element. Throws: Error(Unsupported) for types that are not numbers.
inline double numberAt(const Tensor& tensor, int64_t index) {
    return visitStored(tensor.dtype(), [&]<typename Number>() {
        return Number::toDouble(storedValues<Number>(tensor)[static_cast<size_t>(index)]);
    });
}

}  // namespace temper
