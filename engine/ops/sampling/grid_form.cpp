// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/grid_form.h"

#include <string>

#include "engine/core/error.h"

namespace temper {
namespace {

[[noreturn]] void failWord(const Node& node, const char* name, const std::string& found,
                           const char* expected) {
    Error error(ErrorCode::InvalidInput, "Attribute '" + std::string(name) + "' is '" + found +
                                             "'; expected " + expected + ".");
    error.addContext(node.describe());
    throw error;
}

GridMode modeOf(const Node& node) {
    const auto mode = node.attribute<std::string>("mode", "linear");
    if (mode == "nearest") return GridMode::Nearest;
    if (mode == "linear" || mode == "bilinear") return GridMode::Linear;
    if (mode == "cubic" || mode == "bicubic") return GridMode::Cubic;
    failWord(node, "mode", mode, "linear, nearest or cubic");
}

GridPadding paddingOf(const Node& node) {
    const auto padding = node.attribute<std::string>("padding_mode", "zeros");
    if (padding == "zeros") return GridPadding::Zeros;
    if (padding == "border") return GridPadding::Border;
    if (padding == "reflection") return GridPadding::Reflection;
    failWord(node, "padding_mode", padding, "zeros, border or reflection");
}

}  // namespace

GridForm GridForm::of(const Node& node) {
    return {modeOf(node), paddingOf(node), node.attribute<int64_t>("align_corners", 0) != 0};
}

/// Cubic: Keys' kernel with a = -0.75, expanded in the fraction. Source: ONNX, GridSample.
TapPolynomials TapPolynomials::of(GridMode mode) {
    constexpr double a = -0.75;
    switch (mode) {
        case GridMode::Nearest: return {0, {{{1}}}};
        case GridMode::Linear: return {0, {{{1, 0}, {-1, 1}}}};
        case GridMode::Cubic: break;
    }
    return {-1,
            {{{0, 1, 0, 0},
              {a, 0, -a, 0},
              {-2 * a, -(a + 3), 2 * a + 3, a},
              {a, a + 2, -(a + 2), -a}}}};
}

std::vector<double> gridCoordinates(int64_t size, bool alignsCorners) {
    std::vector<double> coordinates;
    for (int64_t i = 0; i < size; ++i) {
        const auto place = static_cast<double>(i), count = static_cast<double>(size);
        const double aligned = size == 1 ? 0 : 2 * place / (count - 1) - 1;
        coordinates.push_back(alignsCorners ? aligned : (2 * place + 1) / count - 1);
    }
    return coordinates;
}

}  // namespace temper
