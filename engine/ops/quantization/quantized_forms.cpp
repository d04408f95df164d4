// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/lowered_op.h"
#include "engine/ops/quantization/quantization.h"
#include "engine/ops/type_rules.h"
#include "engine/ops/window.h"

namespace temper {
namespace {

// Operators of com.microsoft on integers of 8 bits: dequantized, computed, quantized again.
// Source: ONNX Runtime, docs/ContribOperators.md.

Attributes without(const Node& node, const std::set<std::string>& dropped) {
    Attributes attributes = node.attributes();
    for (const std::string& name : dropped) attributes.erase(name);
    return attributes;
}

/// (x - zero) scale; the zero point after the scale may be omitted.
Var dequantized(const LoweringContext& node, size_t x, size_t scale) {
    return node.emitter().op("DequantizeLinear",
                             {node.input(x), node.input(scale), node.input(scale + 1)});
}

/// The inverse; without a zero point the type is that of input 0.
Var quantized(const LoweringContext& node, Var x, size_t scale) {
    GradientEmitter& emitter = node.emitter();
    Var zero = node.input(scale + 1);
    if (!zero) {
        const DType dtype = node.input(0).dtype();
        zero = emitter.constant(Tensor::scalar<int64_t>(0).cast(dtype), "zero_point");
    }
    return emitter.op("QuantizeLinear", {x, node.input(scale), zero});
}

/// Inputs: a, its scale, its zero point?, the same of b, scale, zero point? of the result.
LoweringRule ofTwo(const char* opType) {
    return [opType](const LoweringContext& node) -> std::vector<Var> {
        const Var y = node.emitter().op(opType, {dequantized(node, 0, 1), dequantized(node, 3, 4)});
        return {quantized(node, y, 6)};
    };
}

/// Inputs: x, its scale, its zero point?, scale, zero point? of the result.
using OfOne = std::function<Var(const LoweringContext&, Var)>;
LoweringRule ofOne(OfOne compute) {
    return [compute = std::move(compute)](const LoweringContext& node) -> std::vector<Var> {
        return {quantized(node, compute(node, dequantized(node, 0, 1)), 3)};
    };
}

/// A pool of images whose channels may be last.
OfOne pool(const char* opType) {
    return [opType](const LoweringContext& node, Var x) {
        const bool last = areChannelsLast(node.node());
        const Var y = node.emitter().op(opType, {last ? channelsFirst(x) : x},
                                        without(node.node(), {"channels_last"}));
        return last ? channelsLast(y) : y;
    };
}

Var meanOf(const LoweringContext& node, Var x) {
    const auto axes = node.attribute<std::vector<int64_t>>("axes", {});
    const Attributes keeps{{"keepdims", node.attribute<int64_t>("keepdims", 1)}};
    if (axes.empty()) return node.emitter().op("ReduceMean", {x}, keeps);
    if (node.opset() >= 18) {
        return node.emitter().op("ReduceMean", {x, node.emitter().integers(axes)}, keeps);
    }
    Attributes old = keeps;
    old["axes"] = axes;
    return node.emitter().op("ReduceMean", {x}, old);
}

/// The attribute `opset` says whether the softmax is that of one dimension or, before 13, of all
/// from `axis` on.
Var softmaxOf(const LoweringContext& node, Var x) {
    const bool isOld = node.attribute<int64_t>("opset", 13) < 13;
    auto axis = node.attribute<int64_t>("axis", isOld ? 1 : -1);
    if (axis < 0) axis += x.rank();
    if (isOld) {
        const Var rows = node.emitter().op("Flatten", {x}, {{"axis", axis}});
        return reshapeLike(softmaxOfRows(rows), x);
    }
    if (axis == x.rank() - 1) return softmaxOfRows(x);
    std::vector<int64_t> order;
    for (int64_t i = 0; i < x.rank(); ++i) order.push_back(i);
    std::swap(order[static_cast<size_t>(axis)], order.back());
    return transpose(softmaxOfRows(transpose(x, order)), order);
}

/// Inputs: scale and zero point of the result, then x, scale, zero point of each part.
std::vector<Var> lowerConcat(const LoweringContext& node) {
    std::vector<Var> parts;
    for (size_t i = 2; i + 2 < node.node().inputs().size(); i += 3) {
        parts.push_back(dequantized(node, i, i + 1));
    }
    return {quantized(node, concat(parts, node.attribute<int64_t>("axis", 0)), 0)};
}

/// Inputs: condition, then x, scale, zero point of either choice, scale and zero point.
std::vector<Var> lowerWhere(const LoweringContext& node) {
    const Var y = where(node.input(0), dequantized(node, 1, 2), dequantized(node, 4, 5));
    return {quantized(node, y, 7)};
}

/// For images whose channels are last.
std::vector<Var> lowerMaxPool(const LoweringContext& node) {
    return {channelsLast(
        node.emitter().op("MaxPool", {channelsFirst(node.input(0))}, node.node().attributes()))};
}

/// ONNX has an operator of the same name.
LoweringRule ofOnnx(const char* opType) {
    return [opType](const LoweringContext& node) -> std::vector<Var> {
        return {node.emitter().op(opType, {node.input(0), node.input(1), node.input(2)},
                                  node.node().attributes())};
    };
}

void requireScaled(InferenceContext& context, size_t x, size_t scale) {
    requireDType(context, x, isByte, "int8 or uint8");
    requireFloating(context, scale);
    requireSameDType(context, x, scale + 1);
}

void inferOfTwo(InferenceContext& context) {
    requireScaled(context, 0, 1);
    requireScaled(context, 3, 4);
    requireSameDType(context, 0, 3);
    requireSameDType(context, 0, 7);
    context.setOutput(0, context.dtype(0), broadcastInputs(context, {0, 3}));
}

void inferOfOne(InferenceContext& context) {
    requireScaled(context, 0, 1);
    requireSameDType(context, 0, 4);
    sameAsInput(context);
}

void inferSoftmax(InferenceContext& context) {
    inferOfOne(context);
    const int64_t rank = context.inputType(0).rank();
    const bool isOld = context.node().attribute<int64_t>("opset", 13) < 13;
    const auto axis = context.node().attribute<int64_t>("axis", isOld ? 1 : -1);
    if (rank >= 0) requireAxis(context, axis, isOld ? rank + 1 : rank);
}

/// The dimensions of windows, or of one window that spans all.
SymbolicShape pooledShape(InferenceContext& context, const SymbolicShape& shape, bool isGlobal,
                          bool last) {
    const auto begin = shape.begin() + (last ? 1 : 2);
    const SymbolicShape spatial(begin, last ? shape.end() - 1 : shape.end());
    SymbolicShape pooled(spatial.size(), Dim::of(1));
    if (!isGlobal) {
        const WindowAttributes window = WindowAttributes::of(context.node());
        if (window.kernel.empty()) {
            context.fail("Attribute 'kernel_shape' is missing.", "Add it: the operator needs it.");
        }
        checkWindow(context, window, spatial);
        pooled = windowOutput(window, spatial);
    }
    pooled.insert(pooled.begin(), shape.front());
    pooled.insert(last ? pooled.end() : pooled.begin() + 1, last ? shape.back() : shape[1]);
    return pooled;
}

void setPooled(InferenceContext& context, bool isGlobal, bool last) {
    const auto& shape = context.shape(0);
    if (!shape) return context.setOutput(0, context.dtype(0), std::nullopt);
    if (shape->size() < 3) {
        context.fail("The input has the shape " + formatShape(*shape) +
                         "; expected batch, channels and spatial dimensions.",
                     "Reshape it.");
    }
    context.setOutput(0, context.dtype(0), pooledShape(context, *shape, isGlobal, last));
}

TypeInference inferPooled(bool isGlobal) {
    return [isGlobal](InferenceContext& context) {
        inferOfOne(context);
        setPooled(context, isGlobal, areChannelsLast(context.node()));
    };
}

void inferMaxPool(InferenceContext& context) {
    requireDType(context, 0, isByte, "int8 or uint8");
    setPooled(context, false, true);
}

void inferMean(InferenceContext& context) {
    inferOfOne(context);
    const auto& shape = context.shape(0);
    if (!shape) return;
    const auto rank = static_cast<int64_t>(shape->size());
    auto axes = context.node().attribute<std::vector<int64_t>>("axes", {});
    for (int64_t i = 0; axes.empty() && i < rank; ++i) axes.push_back(i);
    axes = requireAxes(context, axes, rank);
    const bool keeps = context.node().attribute<int64_t>("keepdims", 1) != 0;
    SymbolicShape reduced;
    for (int64_t i = 0; i < rank; ++i) {
        const bool isReduced = std::find(axes.begin(), axes.end(), i) != axes.end();
        if (!isReduced) reduced.push_back((*shape)[static_cast<size_t>(i)]);
        if (isReduced && keeps) reduced.push_back(Dim::of(1));
    }
    context.setOutput(0, context.dtype(0), reduced);
}

void inferConcat(InferenceContext& context) {
    if (context.inputCount() < 5 || context.inputCount() % 3 != 2) {
        context.fail("The operator has " + counted(context.inputCount(), "input") +
                         "; expected scale and zero point, then tensor, scale and zero "
                         "point of each part.",
                     "Check the inputs.");
    }
    std::optional<SymbolicShape> joint = context.shape(2);
    if (!joint) return context.setOutput(0, context.dtype(1), std::nullopt);
    const auto axis =
        static_cast<size_t>(requireAxis(context, context.node().attribute<int64_t>("axis", 0),
                                        static_cast<int64_t>(joint->size())));
    for (size_t i = 5; i < context.inputCount(); i += 3) {
        const auto& part = context.shape(i);
        const bool isKnown = part && part->size() == joint->size() && (*part)[axis].isNumber() &&
                             (*joint)[axis].isNumber();
        (*joint)[axis] = isKnown ? sumOf((*joint)[axis], (*part)[axis]) : Dim::unknown();
    }
    context.setOutput(0, context.dtype(1), joint);
}

void inferWhere(InferenceContext& context) {
    requireDType(context, 0, isBool, "bool");
    requireScaled(context, 1, 2);
    requireScaled(context, 4, 5);
    requireSameDType(context, 1, 8);
    context.setOutput(0, context.dtype(1), broadcastInputs(context, {0, 1, 4}));
}

}  // namespace

void registerQuantizedForms(OpSet& ops) {
    const auto add = [&](const char* opType, TypeInference infer, size_t fewest, size_t most,
                         std::set<size_t> constants, LoweringRule rule) {
        addLowered(ops,
                   {std::string(kMicrosoftDomain), opType, std::move(infer), fewest, most,
                    std::move(constants)},
                   std::move(rule));
    };
    for (const char* opType : {"QuantizeLinear", "DequantizeLinear"}) {
        const OpInfo& onnx = *ops.catalog.find(kOnnxDomain, opType);
        addLowered(ops, {std::string(kMicrosoftDomain), opType, onnx.infer, 2, 3, {1, 2}},
                   ofOnnx(opType), onnx.facts);
    }
    add("QLinearAdd", inferOfTwo, 7, 8, {1, 4, 6}, ofTwo("Add"));
    add("QLinearMul", inferOfTwo, 7, 8, {1, 4, 6}, ofTwo("Mul"));
    add("QLinearWhere", inferWhere, 9, 9, {2, 5, 7}, lowerWhere);
    add("NhwcMaxPool", inferMaxPool, 1, 1, {}, lowerMaxPool);
    add("QLinearConcat", inferConcat, 5, std::numeric_limits<size_t>::max(), {}, lowerConcat);
    const auto addOne = [&](const char* opType, TypeInference infer, OfOne compute) {
        add(opType, std::move(infer), 4, 5, {1, 3}, ofOne(std::move(compute)));
    };
    addOne("QLinearSigmoid", inferOfOne, [](const LoweringContext&, Var x) { return sigmoid(x); });
    addOne("QLinearLeakyRelu", inferOfOne, [](const LoweringContext& node, Var x) {
        return x.emitter().op("LeakyRelu", {x}, {{"alpha", node.attribute<float>("alpha", 0.01F)}});
    });
    addOne("QLinearSoftmax", inferSoftmax, softmaxOf);
    addOne("QLinearReduceMean", inferMean, meanOf);
    addOne("QLinearAveragePool", inferPooled(false), pool("AveragePool"));
    addOne("QLinearGlobalAveragePool", inferPooled(true), pool("GlobalAveragePool"));
}

}  // namespace temper
