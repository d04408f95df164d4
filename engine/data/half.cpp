// SPDX-License-Identifier: Apache-2.0
#include "engine/data/half.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace temper {
namespace {

/// 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits.
float fromFloat16(uint16_t bits) {
    const uint32_t sign = uint32_t{bits & 0x8000U} << 16;
    const uint32_t exponent = (bits >> 10) & 0x1FU;
    const uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0) {  // zero and subnormal numbers: fraction * 2^-24
        const float value = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -value : value;
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float fromBFloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace

Tensor widenToFloat32(const Tensor& tensor) {
    if (tensor.dtype() != DType::Float16 && tensor.dtype() != DType::BFloat16) return tensor;
    const auto convert = tensor.dtype() == DType::Float16 ? fromFloat16 : fromBFloat16;
    Tensor wide(DType::Float32, tensor.shape());
    const std::span<float> values = wide.mutableValues<float>();
    for (size_t i = 0; i < values.size(); ++i) {
        uint16_t bits = 0;
        std::memcpy(&bits, tensor.data() + 2 * i, 2);
        values[i] = convert(bits);
    }
    return wide;
}

}  // namespace temper
