// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Operators of com.microsoft that predate those of ONNX, which replace them.

/// ONNX has the operator from this opset on.
void requireOpset(const LoweringContext& node, int64_t first) {
    if (node.opset() >= first) return;
    node.refuse("It needs opset " + std::to_string(first) + " or newer; found " +
                    std::to_string(node.opset()) + ".",
                "Export the model for a newer opset.");
}

std::vector<int64_t> integersOf(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Int64);
    const auto numbers = wide.values<int64_t>();
    return {numbers.begin(), numbers.end()};
}

/// The numbers of a constant input that determines the operators.
std::vector<int64_t> constantIntegers(const LoweringContext& node, size_t input, const char* name) {
    const Value* value = node.node().input(input);
    if (value->isInitializer()) return integersOf(value->constant());
    node.refuse("Input '" + std::string(name) + "' is not constant.",
                "Export the model with a constant instead.");
}

std::vector<Var> lowerContribGatherND(const LoweringContext& node) {
    requireOpset(node, 11);
    const Var indices = cast(node.input(1), DType::Int64);
    return {node.emitter().op("GatherND", {node.input(0), indices})};
}

/// [1, 2 rank] as [2 rank].
Var padsAsVector(const LoweringContext& node) {
    const Value* pads = node.node().input(1);
    if (pads->isInitializer()) return node.emitter().integers(integersOf(pads->constant()));
    return node.rank(1) == 1 ? node.input(1) : squeeze(node.input(1), {0});
}

/// Inputs: x, pads [2 rank] or [1, 2 rank], value?.
std::vector<Var> lowerContribPad(const LoweringContext& node) {
    requireOpset(node, 11);
    Var value = node.input(2);
    if (value && value.rank() == 1) value = squeeze(value, {0});
    return {node.emitter().op("Pad", {node.input(0), padsAsVector(node), value},
                              {{"mode", node.attribute<std::string>("mode", "constant")}})};
}

void inferContribPad(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 2);
    const auto& shape = context.shape(0);
    if (!shape) return context.setOutput(0, context.dtype(0), std::nullopt);
    SymbolicShape padded = unknownDims(shape->size());
    const auto pads = context.integers(1);
    if (pads && pads->size() != 2 * shape->size()) {
        context.fail("Input 1 holds " + counted(pads->size(), "pad") +
                         "; expected two for each of " + counted(shape->size(), "dimension") + ".",
                     "Check the pads.");
    }
    for (size_t i = 0; pads && i < shape->size(); ++i) {
        if (!(*shape)[i].isNumber()) continue;
        padded[i] = sumOf((*shape)[i], checkedSum((*pads)[i], (*pads)[i + shape->size()]));
        if (!padded[i].isNumber()) {
            context.fail("The pads remove more elements than exist in dimension " +
                             std::to_string(i) + " of " + formatShape(*shape) + ".",
                         "Check the pads.");
        }
    }
    context.setOutput(0, context.dtype(0), padded);
}

/// The modes have other names from opset 20 on.
std::vector<Var> lowerContribGridSample(const LoweringContext& node) {
    requireOpset(node, 16);
    static const std::map<std::string, std::string> kNewNames = {{"bilinear", "linear"},
                                                                 {"bicubic", "cubic"}};
    Attributes attributes = node.node().attributes();
    const auto mode = node.attribute<std::string>("mode", "bilinear");
    const auto renamed = kNewNames.find(mode);
    const bool isNew = node.opset() >= 20 && renamed != kNewNames.end();
    attributes["mode"] = isNew ? renamed->second : mode;
    return {node.emitter().op("GridSample", {node.input(0), node.input(1)}, attributes)};
}

/// Inputs: x, the axis as a scalar.
std::vector<Var> lowerExpandDims(const LoweringContext& node) {
    int64_t axis = constantIntegers(node, 1, "axis").at(0);
    if (axis < 0) axis += node.rank(0) + 1;
    return {unsqueeze(node.input(0), {axis})};
}

void inferExpandDims(InferenceContext& context) {
    requireDType(context, 1, isIndex, "int32 or int64");
    auto shape = context.shape(0);
    const Tensor* axis = context.constant(1);
    if (axis != nullptr && axis->numElements() != 1) {
        context.fail("The axis has " + counted(axis->numElements(), "element") +
                     "; expected one number.");
    }
    if (!shape || axis == nullptr) {
        return context.setOutput(0, context.dtype(0), std::nullopt);
    }
    const int64_t at = requireAxis(context, axis->cast(DType::Int64).values<int64_t>()[0],
                                   static_cast<int64_t>(shape->size()) + 1);
    shape->insert(shape->begin() + at, Dim::of(1));
    context.setOutput(0, context.dtype(0), shape);
}

/// Inputs: x, weights, pads?, bias?.
std::vector<Var> lowerConvTransposeWithPads(const LoweringContext& node) {
    Attributes attributes = node.node().attributes();
    if (node.hasInput(2)) attributes["pads"] = constantIntegers(node, 2, "Pads");
    return {node.emitter().op("ConvTranspose", {node.input(0), node.input(1), node.input(3)},
                              attributes)};
}

void inferConvTransposeWithPads(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireSameDType(context, 0, 3);
    const auto &x = context.shape(0), &weights = context.shape(1);
    if (!x || !weights || x->size() < 3 || weights->size() != x->size()) {
        return context.setOutput(0, context.dtype(0), std::nullopt);
    }
    SymbolicShape shape = unknownDims(x->size());
    shape[0] = (*x)[0];
    const auto group = context.node().attribute<int64_t>("group", 1);
    if ((*weights)[1].isNumber()) shape[1] = productOf((*weights)[1], group);
    context.setOutput(0, context.dtype(0), shape);
}

/// Attributes of UnfoldTensor: windows of a size along a dimension, a step apart.
struct Unfolding {
    int64_t axis = 0;
    int64_t size = 0;
    int64_t step = 1;

    static Unfolding of(const Node& node, int64_t rank) {
        const auto axis = node.attribute<int64_t>("dim", -1);
        return {axis < 0 ? axis + rank : axis, node.attribute<int64_t>("size", 0),
                node.attribute<int64_t>("step", 1)};
    }
    int64_t windows(int64_t length) const { return (length - size) / step + 1; }
};

/// The windows become a last dimension.
std::vector<Var> lowerUnfoldTensor(const LoweringContext& node) {
    const int64_t rank = node.rank(0);
    const Unfolding form = Unfolding::of(node.node(), rank);
    const int64_t count = form.windows(node.size(0, form.axis));
    std::vector<int64_t> indices;
    for (int64_t window = 0; window < count; ++window) {
        for (int64_t i = 0; i < form.size; ++i) indices.push_back(window * form.step + i);
    }
    GradientEmitter& emitter = node.emitter();
    const Var index = reshapeTo(emitter.integers(indices), {count, form.size});
    const Var windows = emitter.op("Gather", {node.input(0), index}, {{"axis", form.axis}});
    std::vector<int64_t> order;
    for (int64_t axis = 0; axis <= rank; ++axis) {
        if (axis != form.axis + 1) order.push_back(axis);
    }
    order.push_back(form.axis + 1);
    return {transpose(windows, order)};
}

void inferUnfoldTensor(InferenceContext& context) {
    auto shape = context.shape(0);
    if (!shape) return context.setOutput(0, context.dtype(0), std::nullopt);
    const auto rank = static_cast<int64_t>(shape->size());
    requireAxis(context, context.node().attribute<int64_t>("dim", -1), rank);
    const Unfolding form = Unfolding::of(context.node(), rank);
    Dim& along = (*shape)[static_cast<size_t>(form.axis)];
    const bool fits = !along.isNumber() || along.value >= form.size;
    if (form.size < 1 || form.step < 1 || !fits) {
        context.fail("Attributes 'size' and 'step' are " + std::to_string(form.size) + " and " +
                         std::to_string(form.step) + "; expected windows that fit in " +
                         formatShape({along}) + ".",
                     "Check the attributes.");
    }
    along = along.isNumber() ? Dim::of(form.windows(along.value)) : Dim::unknown();
    shape->push_back(Dim::of(form.size));
    context.setOutput(0, context.dtype(0), shape);
}

}  // namespace

void registerContribForms(OpSet& ops) {
    const auto add = [&](OpInfo info, std::set<size_t> constants, LoweringRule rule,
                         OperatorFacts facts = {}) {
        info.nonDifferentiableInputs = std::move(constants);
        addLowered(ops, std::move(info), std::move(rule), std::move(facts));
    };
    add(microsoftOp("GatherND", inferenceOf(ops, "GatherND"), 2, 2), {1}, lowerContribGatherND);
    add(microsoftOp("Pad", inferContribPad, 2, 3), {1, 2}, lowerContribPad,
        {.family = OperatorFamily::Arrangement, .keepsUnits = true});
    add(microsoftOp("GridSample", inferenceOf(ops, "GridSample"), 2, 2), {},
        lowerContribGridSample);
    add(microsoftOp("ExpandDims", inferExpandDims, 2, 2), {1}, lowerExpandDims);
    add(microsoftOp("ConvTransposeWithDynamicPads", inferConvTransposeWithPads, 2, 4), {2},
        lowerConvTransposeWithPads);
    add(microsoftOp("UnfoldTensor", inferUnfoldTensor, 1, 1), {}, lowerUnfoldTensor);
}

}  // namespace temper
