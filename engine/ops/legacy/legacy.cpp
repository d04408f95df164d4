// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/legacy/legacy.h"

#include <algorithm>
#include <limits>
#include <span>

#include "engine/core/counted.h"
#include "engine/ops/lowered_op.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

double number(const LoweringContext& node, const char* name, float fallback) {
    return static_cast<double>(node.attribute<float>(name, fallback));
}

/// alpha x + beta
std::vector<Var> lowerAffine(const LoweringContext& node) {
    return {node.input(0) * number(node, "alpha", 1) + number(node, "beta", 0)};
}

/// scale x
std::vector<Var> lowerScale(const LoweringContext& node) {
    return {node.input(0) * number(node, "scale", 1)};
}

/// scale x + bias[channel]
std::vector<Var> lowerImageScaler(const LoweringContext& node) {
    const auto bias = node.attribute<std::vector<float>>("bias", {});
    Shape shape(static_cast<size_t>(node.rank(0)) - 1, 1);
    shape.front() = static_cast<int64_t>(bias.size());
    const Tensor data = Tensor::of<float>(shape, std::span<const float>(bias));
    const Var x = node.input(0);
    return {x * number(node, "scale", 1) + node.emitter().constant(data.cast(x.dtype()), "bias")};
}

/// alpha tanh(beta x)
std::vector<Var> lowerScaledTanh(const LoweringContext& node) {
    const Var inner = node.input(0) * number(node, "beta", 1);
    return {node.emitter().op("Tanh", {inner}) * number(node, "alpha", 1)};
}

/// alpha ln(1 + exp(beta x))
std::vector<Var> lowerParametricSoftplus(const LoweringContext& node) {
    const Var inner = node.input(0) * number(node, "beta", 1);
    return {node.emitter().op("Softplus", {inner}) * number(node, "alpha", 1)};
}

/// Where to stop: after `size` elements, or before the border.
int64_t endOf(int64_t begin, int64_t size, int64_t border) {
    if (size > 0) return begin + size;
    return border > 0 ? -border : std::numeric_limits<int64_t>::max();
}

std::vector<Var> lowerCrop(const LoweringContext& node) {
    const CropWindow crop = CropWindow::of(node.node());
    const Var rows = slice(node.input(0), 2, crop.top, endOf(crop.top, crop.height, crop.bottom));
    return {slice(rows, 3, crop.left, endOf(crop.left, crop.width, crop.right))};
}

OpInfo legacyOp(const char* opType, TypeInference infer) {
    return {
        .domain = "", .opType = opType, .infer = std::move(infer), .minInputs = 1, .maxInputs = 1};
}

/// The numbers of a list that may be absent.
std::vector<int64_t> numbersOf(const Node& node, const char* name, size_t count) {
    std::vector<int64_t> numbers = node.attribute<std::vector<int64_t>>(name, {});
    const bool isFine = numbers.empty() || numbers.size() == count;
    if (!isFine || std::any_of(numbers.begin(), numbers.end(), [](int64_t n) { return n < 0; })) {
        Error error(ErrorCode::InvalidInput, "Attribute '" + std::string(name) + "' has " +
                                                 counted(numbers.size(), "number") + "; expected " +
                                                 std::to_string(count) + ", all at least 0.");
        error.addContext(node.describe());
        throw error;
    }
    numbers.resize(count, 0);
    return numbers;
}

}  // namespace

CropWindow CropWindow::of(const Node& node) {
    const std::vector<int64_t> border = numbersOf(node, "border", 4);
    const std::vector<int64_t> size = numbersOf(node, "scale", 2);
    return {border[0], border[1], border[2], border[3], size[0], size[1]};
}

void registerLegacy(OpSet& ops) {
    addLowered(ops, legacyOp("Affine", floatingSameAs()), lowerAffine);
    addLowered(ops, legacyOp("Crop", inferCrop), lowerCrop);
    addLowered(ops, legacyOp("ImageScaler", inferImageScaler), lowerImageScaler);
    addLowered(ops, legacyOp("ParametricSoftplus", floatingSameAs()), lowerParametricSoftplus);
    addLowered(ops, legacyOp("Scale", floatingSameAs()), lowerScale);
    addLowered(ops, legacyOp("ScaledTanh", floatingSameAs()), lowerScaledTanh);
}

}  // namespace temper
