// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace temper {

/// SplitMix64's mixing function, applied to one number and another.
inline uint64_t mixed(uint64_t hash, uint64_t value) {
    uint64_t z = (hash ^ value) + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/// A hash of the bytes that continues another one; not cryptographic.
inline uint64_t hashBytes(std::span<const std::byte> bytes, uint64_t hash = 0) {
    hash = mixed(hash, bytes.size());
    for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
        hash = mixed(hash, word);
    }
    return hash;
}

}  // namespace temper
