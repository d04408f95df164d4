// SPDX-License-Identifier: Apache-2.0
#include "engine/core/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace temper {

Random::Random(uint64_t seed, uint64_t stream)
    : state_(mix(seed + kGolden) ^ mix(stream * kGolden)) {}

uint64_t Random::next() {
    state_ += kGolden;
    return mix(state_);
}

float Random::uniform() { return static_cast<float>(next() >> 40) * 0x1.0p-24F; }

float Random::normal() {
    const double u = (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53;
    const double v = (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53;
    return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
}

int64_t Random::below(int64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<int64_t>((Wide{next()} * static_cast<uint64_t>(bound)) >> 64);
}

std::vector<int64_t> Random::permutation(int64_t count) {
    std::vector<int64_t> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = count - 1; i > 0; --i) {
        std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(below(i + 1))]);
    }
    return order;
}

}  // namespace temper
