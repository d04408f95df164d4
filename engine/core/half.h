// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace temper {

// Half precision as stored in tensors; arithmetic is done in float.

/// A bfloat16 number: not any integer of 16 bits.
struct BFloat16 {
    uint16_t bits = 0;
};

/// IEEE 754 binary16 to float, exact.
inline float floatFromHalf(uint16_t half) {
    const uint32_t sign = (half & 0x8000U) << 16;
    const uint32_t exponent = (half >> 10) & 0x1FU;
    const uint32_t fraction = half & 0x3FFU;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
    }
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13));
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

/// Rounds to nearest, ties to even; overflow gives infinity.
inline uint16_t halfFromFloat(float number) {
    const uint32_t bits = std::bit_cast<uint32_t>(number);
    const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return static_cast<uint16_t>(sign | 0x7E00U);
    if (magnitude >= 0x477FF000U) return static_cast<uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x38800000U) {  // subnormal: adding 0.5 shifts and rounds the fraction
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000U));
    }
    const uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

inline float floatFromBFloat16(uint16_t brain) {
    return std::bit_cast<float>(static_cast<uint32_t>(brain) << 16);
}

/// Rounds to nearest, ties to even.
inline uint16_t bfloat16FromFloat(float number) {
    const uint32_t bits = std::bit_cast<uint32_t>(number);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>((bits >> 16) | 0x40U);
    return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace temper
