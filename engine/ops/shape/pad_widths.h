// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

enum class PadMode { Constant, Reflect, Edge, Wrap };

/// Throws: Error(InvalidInput) if a width is longer than any array.
void requirePadWidths(const std::vector<int64_t>& widths);

/// Throws: Error(Unsupported) for an unknown name.
PadMode padMode(const Node& node);

/// What Pad adds before and after each axis; negative: what it removes.
struct PadWidths {
    std::vector<int64_t> begin;
    std::vector<int64_t> end;

    /// The position in [0, dim) that output position `i` along an axis repeats; not for
    /// PadMode::Constant. What negative widths remove is not repeated.
    int64_t source(PadMode mode, size_t axis, int64_t i, int64_t dim) const;

    /// Reads an integer input; only called for inputs that are present. nullopt: unknown.
    using Read = std::function<std::optional<std::vector<int64_t>>(size_t input)>;
    /// From the attribute (opset 2 to 10) or the inputs `pads` and `axes` (11, 18).
    /// Throws: Error(InvalidInput) if their length does not fit the rank.
    static std::optional<PadWidths> of(const Node& node, size_t rank, const Read& read);
};

}  // namespace temper
