// SPDX-License-Identifier: Apache-2.0
#include "engine/core/small_types.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace temper {
namespace {

/// The meaning of the codes that are not numbers.
enum class Specials {
    None,
    LastIsNaN,      ///< the largest magnitude is NaN
    Ieee,           ///< the largest exponent: infinity and NaN
    MinusZeroIsNaN  ///< there is no negative zero
};

/// A sign bit, then exponent, then fraction.
struct FloatLayout {
    int exponentBits;
    int fractionBits;
    int bias;
    Specials specials;
    unsigned largest;  ///< magnitude bits of the largest number

    unsigned signBit() const { return 1U << (exponentBits + fractionBits); }
    /// The number for these magnitude bits, as if none were special.
    float magnitude(unsigned bits) const {
        const auto exponent = static_cast<int>(bits >> fractionBits);
        const auto fraction = static_cast<int>(bits & ((1U << fractionBits) - 1));
        if (exponent == 0) return std::ldexp(static_cast<float>(fraction), 1 - bias - fractionBits);
        return std::ldexp(static_cast<float>(fraction + (1 << fractionBits)),
                          exponent - bias - fractionBits);
    }
};

FloatLayout layoutOf(DType dtype) {
    switch (dtype) {
        case DType::Float8E4M3FN: return {4, 3, 7, Specials::LastIsNaN, 0x7E};
        case DType::Float8E4M3FNUZ: return {4, 3, 8, Specials::MinusZeroIsNaN, 0x7F};
        case DType::Float8E5M2: return {5, 2, 15, Specials::Ieee, 0x7B};
        case DType::Float8E5M2FNUZ: return {5, 2, 16, Specials::MinusZeroIsNaN, 0x7F};
        case DType::Float4E2M1: return {2, 1, 1, Specials::None, 0x7};
        case DType::Float6E2M3: return {2, 3, 1, Specials::None, 0x1F};
        case DType::Float6E3M2: return {3, 2, 3, Specials::None, 0x1F};
        default: break;
    }
    TEMPER_ASSERT(false, "the type has a sign, an exponent and a fraction");
    return {};
}

/// The bits of the nearest magnitude, the even ones on a tie; the bits after the largest one for
/// magnitudes beyond it.
unsigned nearestMagnitude(const FloatLayout& layout, float magnitude) {
    unsigned low = 0, high = layout.largest + 1;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (layout.magnitude(middle) <= magnitude ? low : high) = middle;
    }
    const float below = magnitude - layout.magnitude(low),
                above = layout.magnitude(high) - magnitude;
    if (below == above) return low % 2 == 0 ? low : high;
    return below < above ? low : high;
}

uint8_t notANumber(const FloatLayout& layout, unsigned sign) {
    switch (layout.specials) {
        case Specials::LastIsNaN: return static_cast<uint8_t>(sign | 0x7FU);
        case Specials::Ieee: return static_cast<uint8_t>(sign | 0x7EU);
        case Specials::MinusZeroIsNaN: return static_cast<uint8_t>(layout.signBit());
        case Specials::None: break;
    }
    return static_cast<uint8_t>(layout.signBit());
}

uint8_t beyondLargest(const FloatLayout& layout, unsigned sign, bool saturates) {
    if (saturates || layout.specials == Specials::None) {
        return static_cast<uint8_t>(sign | layout.largest);
    }
    if (layout.specials == Specials::Ieee) return static_cast<uint8_t>(sign | 0x7CU);
    return notANumber(layout, sign);
}

/// Powers of two from 2^-127 to 2^127; 0xFF is NaN.
float powerFromCode(uint8_t code) {
    if (code == 0xFF) return std::numeric_limits<float>::quiet_NaN();
    return std::ldexp(1.0F, static_cast<int>(code) - 127);
}

uint8_t powerFromFloat(float number, const SmallRounding& rounding) {
    const uint32_t bits = std::bit_cast<uint32_t>(number) & 0x7FFFFFFFU;
    const uint32_t exponent = bits >> 23, fraction = bits & 0x7FFFFFU;
    if (exponent == 0xFF) return 0xFF;
    const uint32_t half = 0x400000U, middle = 0x600000U;
    const bool isNearest = rounding.mode == SmallRounding::Mode::Nearest;
    bool up = rounding.mode == SmallRounding::Mode::Up && fraction > 0;
    if (isNearest) up = fraction >= half;
    // Below 2^-126 the fraction begins with the digit for 2^-127, the smallest number.
    if (exponent == 0) up = isNearest ? fraction >= middle : up && fraction > half;
    if (rounding.saturates && exponent == 0xFE) up = false;
    return static_cast<uint8_t>(exponent + (up ? 1 : 0));
}

/// The bits of one element, as stored in a file.
unsigned bitsOf(std::byte element, size_t width) {
    return std::to_integer<unsigned>(element) & ((1U << width) - 1);
}

std::byte elementOf(DType dtype, unsigned bits) {
    return static_cast<std::byte>(isSmallInteger(dtype) ? codeFromInteger(dtype, bits)
                                                        : static_cast<uint8_t>(bits));
}

}  // namespace

bool isSmallFloat(DType dtype) {
    return dtype >= DType::Float8E4M3FN && dtype <= DType::Float6E3M2 && !isSmallInteger(dtype);
}

bool isSmallInteger(DType dtype) {
    return dtype == DType::UInt4 || dtype == DType::Int4 || dtype == DType::UInt2 ||
           dtype == DType::Int2;
}

SmallRange smallRange(DType dtype) {
    switch (dtype) {
        case DType::UInt4: return {0, 15};
        case DType::Int4: return {-8, 7};
        case DType::UInt2: return {0, 3};
        case DType::Int2: return {-2, 1};
        default: break;
    }
    TEMPER_ASSERT(false, "the type is a small integer");
    return {};
}

float floatFromCode(DType dtype, uint8_t code) {
    if (dtype == DType::Float8E8M0) return powerFromCode(code);
    const FloatLayout layout = layoutOf(dtype);
    const unsigned sign = code & layout.signBit(), bits = code & (layout.signBit() - 1);
    const bool isIeee = layout.specials == Specials::Ieee;
    if (isIeee && bits == layout.largest + 1) {
        return std::copysign(std::numeric_limits<float>::infinity(), sign != 0 ? -1.0F : 1.0F);
    }
    const bool isNaN = bits > layout.largest ||
                       (layout.specials == Specials::MinusZeroIsNaN && sign != 0 && bits == 0);
    if (isNaN) return std::numeric_limits<float>::quiet_NaN();
    return sign != 0 ? -layout.magnitude(bits) : layout.magnitude(bits);
}

uint8_t codeFromFloat(DType dtype, float number, const SmallRounding& rounding) {
    if (dtype == DType::Float8E8M0) return powerFromFloat(number, rounding);
    const FloatLayout layout = layoutOf(dtype);
    const unsigned sign = std::signbit(number) ? layout.signBit() : 0;
    if (std::isnan(number)) return notANumber(layout, sign);
    const unsigned bits = nearestMagnitude(layout, std::abs(number));
    if (bits > layout.largest) return beyondLargest(layout, sign, rounding.saturates);
    const bool isUnsigned = bits == 0 && layout.specials == Specials::MinusZeroIsNaN;
    return static_cast<uint8_t>((isUnsigned ? 0 : sign) | bits);
}

uint8_t codeFromInteger(DType dtype, int64_t number) {
    const SmallRange range = smallRange(dtype);
    const int64_t count = range.high - range.low + 1;
    const int64_t bits = static_cast<int64_t>(static_cast<uint64_t>(number) % count);
    return static_cast<uint8_t>(bits > range.high ? bits - count : bits);
}

uint8_t codeFromReal(DType dtype, double number) {
    constexpr double kLimit = 0x1p62;  // beyond it, numbers have no bits that small
    if (std::isnan(number)) return 0;
    return codeFromInteger(dtype, static_cast<int64_t>(std::clamp(number, -kLimit, kLimit)));
}

std::vector<float> numbersByCode(DType dtype) {
    std::vector<float> numbers;
    for (unsigned code = 0; code < 256; ++code) {
        const auto byte = static_cast<uint8_t>(code);
        if (isSmallFloat(dtype)) {
            const unsigned bits = code & ((1U << storedBits(dtype)) - 1);
            numbers.push_back(floatFromCode(dtype, static_cast<uint8_t>(bits)));
        } else {
            const bool isSigned = smallRange(dtype).low < 0;
            numbers.push_back(isSigned ? static_cast<float>(static_cast<int8_t>(byte))
                                       : static_cast<float>(byte));
        }
    }
    return numbers;
}

Tensor fromSmall(const Tensor& tensor) {
    if (isSmallInteger(tensor.dtype())) {
        const bool isSigned = smallRange(tensor.dtype()).low < 0;
        Tensor result(isSigned ? DType::Int8 : DType::UInt8, tensor.shape());
        std::copy_n(tensor.data(), tensor.byteSize(), result.mutableData());
        return result;
    }
    Tensor result(DType::Float32, tensor.shape());
    std::transform(tensor.data(), tensor.data() + tensor.numElements(),
                   result.mutableValues<float>().begin(), [&](std::byte code) {
                       return floatFromCode(tensor.dtype(), std::to_integer<uint8_t>(code));
                   });
    return result;
}

Tensor toSmall(const Tensor& tensor, DType dtype, const SmallRounding& rounding) {
    if (isSmallFloat(dtype) && tensor.dtype() != DType::Float32) {
        return toSmall(tensor.cast(DType::Float32), dtype, rounding);
    }
    Tensor result(dtype, tensor.shape());
    auto* codes = reinterpret_cast<uint8_t*>(result.mutableData());
    if (tensor.dtype() == DType::Float32) {
        std::ranges::transform(tensor.values<float>(), codes, [&](float number) {
            return isSmallFloat(dtype) ? codeFromFloat(dtype, number, rounding)
                                       : codeFromReal(dtype, static_cast<double>(number));
        });
        return result;
    }
    const Tensor whole = tensor.cast(DType::Int64);
    std::ranges::transform(whole.values<int64_t>(), codes,
                           [&](int64_t number) { return codeFromInteger(dtype, number); });
    return result;
}

size_t storedBits(DType dtype) {
    switch (dtype) {
        case DType::UInt2:
        case DType::Int2: return 2;
        case DType::UInt4:
        case DType::Int4:
        case DType::Float4E2M1: return 4;
        case DType::Float6E2M3:
        case DType::Float6E3M2: return 6;
        default: return 8 * dtypeSize(dtype);
    }
}

size_t storedBytes(DType dtype, size_t count) {
    const size_t bits = storedBits(dtype);
    return bits % 8 == 0 ? count * (bits / 8) : (count * bits + 7) / 8;
}

std::vector<std::byte> packed(const Tensor& tensor) {
    const size_t width = storedBits(tensor.dtype());
    const auto count = static_cast<size_t>(tensor.numElements());
    std::vector<std::byte> bytes(storedBytes(tensor.dtype(), count));
    for (size_t i = 0; i < count; ++i) {
        const size_t at = i * width;
        const unsigned bits = bitsOf(tensor.data()[i], width) << (at % 8);
        bytes[at / 8] |= static_cast<std::byte>(bits & 0xFFU);
        if (bits > 0xFFU) bytes[at / 8 + 1] |= static_cast<std::byte>(bits >> 8);
    }
    return bytes;
}

Tensor unpacked(DType dtype, Shape shape, std::span<const std::byte> bytes) {
    Tensor tensor(dtype, std::move(shape));
    const size_t width = storedBits(dtype);
    for (size_t i = 0; i < static_cast<size_t>(tensor.numElements()); ++i) {
        const size_t at = i * width;
        unsigned bits = std::to_integer<unsigned>(bytes[at / 8]);
        if (at % 8 + width > 8) bits |= std::to_integer<unsigned>(bytes[at / 8 + 1]) << 8;
        tensor.mutableData()[i] = elementOf(dtype, (bits >> (at % 8)) & ((1U << width) - 1));
    }
    return tensor;
}

}  // namespace temper
