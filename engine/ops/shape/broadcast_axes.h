// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace temper {

/// The axes of a broadcast shape over which a gradient is summed to return to each operand, from
/// last to first. Axes where both operands have 1 are in neither list.
struct BroadcastAxes {
    std::vector<int64_t> ofA;
    std::vector<int64_t> ofB;

    /// Throws: Error(InvalidInput) if the shapes can't be broadcast.
    static BroadcastAxes of(std::span<const int64_t> a, std::span<const int64_t> b);
};

}  // namespace temper
