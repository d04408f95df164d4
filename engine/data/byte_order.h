// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace temper {

static_assert(std::endian::native == std::endian::little, "the file readers assume little endian");

/// Reverses the bytes of each group of `unit` bytes in place.
inline void swapByteOrder(std::span<std::byte> bytes, size_t unit) {
    if (unit < 2) return;
    for (size_t i = 0; i + unit <= bytes.size(); i += unit) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(i + unit));
    }
}

/// A byte other than 0 or 1 in a bool is undefined behaviour in C++; NumPy reads it as true.
inline void normalizeBools(std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = byte == std::byte{0} ? byte : std::byte{1};
}

/// An unsigned number of up to 8 bytes, least significant byte first.
inline uint64_t littleEndian(std::span<const std::byte> bytes) {
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
    return value;
}

/// An unsigned number of up to 8 bytes, most significant byte first.
inline uint64_t bigEndian(std::span<const std::byte> bytes) {
    uint64_t value = 0;
    for (const std::byte byte : bytes) value = value << 8 | std::to_integer<uint64_t>(byte);
    return value;
}

}  // namespace temper
