// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/pad_widths.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {
namespace {

constexpr size_t kPadsInput = 1;
constexpr size_t kAxesInput = 3;

/// The position in [0, dim) that position `i` repeats, counted from the first element; dim > 0.
int64_t paddedSource(PadMode mode, int64_t i, int64_t dim) {
    if (mode == PadMode::Edge) return std::clamp<int64_t>(i, 0, dim - 1);
    const int64_t period = mode == PadMode::Wrap ? dim : std::max<int64_t>(1, 2 * (dim - 1));
    const int64_t place = ((i % period) + period) % period;
    return place < dim ? place : period - place;
}

}  // namespace

void requirePadWidths(const std::vector<int64_t>& widths) {
    constexpr int64_t kMax = int64_t{1} << 40;
    const auto found =
        std::ranges::find_if(widths, [](int64_t width) { return width < -kMax || width > kMax; });
    if (found == widths.end()) return;
    throw Error(ErrorCode::InvalidInput, "Pad has the width " + std::to_string(*found) +
                                             "; expected a number from -2^40 to 2^40.");
}

PadMode padMode(const Node& node) {
    const auto name = node.attribute<std::string>("mode", "constant");
    if (name == "constant") return PadMode::Constant;
    if (name == "reflect") return PadMode::Reflect;
    if (name == "edge") return PadMode::Edge;
    if (name == "wrap") return PadMode::Wrap;
    throw Error(ErrorCode::Unsupported,
                "Pad has the mode '" + name + "'; expected constant, reflect, edge or wrap.");
}

int64_t PadWidths::source(PadMode mode, size_t axis, int64_t i, int64_t dim) const {
    const int64_t cutBegin = std::max<int64_t>(0, -begin[axis]);
    const int64_t cutEnd = std::max<int64_t>(0, -end[axis]);
    const int64_t place = i - std::max<int64_t>(0, begin[axis]);
    return cutBegin + paddedSource(mode, place, dim - cutBegin - cutEnd);
}

std::optional<PadWidths> PadWidths::of(const Node& node, size_t rank, const Read& read) {
    std::optional<std::vector<int64_t>> pads = node.input(kPadsInput) != nullptr
                                                   ? read(kPadsInput)
                                                   : node.attribute<std::vector<int64_t>>("pads");
    std::optional<std::vector<int64_t>> axes(std::in_place, rank);
    std::iota(axes->begin(), axes->end(), 0);
    if (node.input(kAxesInput) != nullptr) axes = read(kAxesInput);
    if (!pads || !axes) return std::nullopt;
    if (pads->size() != 2 * axes->size()) {
        throw Error(ErrorCode::InvalidInput, "Pad has " + counted(pads->size(), "width") +
                                                 "; expected " + std::to_string(2 * axes->size()) +
                                                 ", two for each axis.");
    }
    requirePadWidths(*pads);
    PadWidths widths{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
    for (size_t i = 0; i < axes->size(); ++i) {
        const auto axis = static_cast<size_t>(
            normalizeAxis((*axes)[i], static_cast<int64_t>(rank), "An axis of Pad"));
        widths.begin.at(axis) = (*pads)[i];
        widths.end.at(axis) = (*pads)[i + axes->size()];
    }
    return widths;
}

}  // namespace temper
