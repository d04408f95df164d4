// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

namespace temper {

// Arithmetic whose integers wrap around in two's complement, where C++ leaves signed overflow
// undefined. Floating-point numbers are computed as usual.

template <typename T>
T wrappingAdd(T a, T b) {
    if constexpr (std::floating_point<T>) {
        return a + b;
    } else {
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    }
}

template <typename T>
T wrappingSubtract(T a, T b) {
    if constexpr (std::floating_point<T>) {
        return a - b;
    } else {
        return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    }
}

template <typename T>
T wrappingMultiply(T a, T b) {
    if constexpr (std::floating_point<T>) {
        return a * b;
    } else {
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    }
}

}  // namespace temper
