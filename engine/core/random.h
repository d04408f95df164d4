// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace temper {

/// A small counter-based generator: the same seed gives the same numbers on every machine.
/// Source: SplitMix64 (Steele, Lea, Flood 2014) over seed + counter.
class Random {
public:
    explicit Random(uint64_t seed, uint64_t stream = 0);

    uint64_t next();
    /// Uniform in [0, 1) with 24 bits, as float.
    float uniform();
    /// Standard normal (Box-Muller).
    float normal();
    /// Uniform in [0, bound); bound > 0.
    int64_t below(int64_t bound);
    /// A random order of 0 .. count-1 (Fisher-Yates).
    std::vector<int64_t> permutation(int64_t count);

    /// The number at position `index` of the stream `seed`, without state: for kernels that split
    /// their work over threads.
    static uint64_t at(uint64_t seed, uint64_t index) {
        return mix(mix(seed + kGolden) + index * kGolden);
    }

private:
    static constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

    static uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    uint64_t state_;
};

}  // namespace temper
