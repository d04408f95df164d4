// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_event.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace temper {
namespace {

constexpr std::array<std::string_view, 3> kOutcomes{"finished", "stopped", "failed"};

}  // namespace

void MagnitudeHistogram::add(float value) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(value) & 0x7fffffffU;
    if (magnitude == 0) {
        ++zeros;
        return;
    }
    const int exponent = static_cast<int>(magnitude >> 23) - 127;  // of subnormals: the lowest
    if (exponent == 128) {
        ++notFinite;
        return;
    }
    ++counts[static_cast<size_t>(std::clamp(exponent - kLowestExponent, 0, kBins - 1))];
}

uint64_t MagnitudeHistogram::total() const {
    return std::accumulate(counts.begin(), counts.end(), uint64_t{zeros} + notFinite);
}

double MagnitudeHistogram::zeroShare() const {
    const uint64_t all = total();
    return all > 0 ? static_cast<double>(zeros) / static_cast<double>(all) : 0;
}

std::string_view outcomeName(RunOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

}  // namespace temper
