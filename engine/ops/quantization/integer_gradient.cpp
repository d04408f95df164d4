// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/lowered_op.h"
#include "engine/ops/quantization/quantization.h"

namespace temper {
namespace {

// For training, operators on quantized integers become operators on the numbers that the integers
// stand for. What quantizes these numbers becomes FakeQuant (quantization_gradient.cpp), through
// whose rounding gradients pass unchanged.

/// As ONNX defines it by other operators, but for a scale of 1 if all numbers are 0, which ONNX
/// Runtime has, too.
std::vector<Var> lowerDynamicQuantize(const LoweringContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var x = node.input(0);
    const auto number = [&](double value) {
        return emitter.constant(Tensor::scalar(value).cast(x.dtype()), "number");
    };
    const Var zero = number(0);
    const auto extreme = [&](const char* ofX, const char* withZero) {
        const Var found = emitter.op(ofX, {x}, {{"keepdims", int64_t{0}}});
        return emitter.op(withZero, {found, zero});
    };
    const Var low = extreme("ReduceMin", "Min");
    const Var range = extreme("ReduceMax", "Max") - low;
    const Var scale = where(equal(range, zero), number(1), range / number(255));
    const Var zeroPoint = cast(emitter.op("Round", {-low / scale}), DType::UInt8);
    return {emitter.op("QuantizeLinear", {x, scale, zeroPoint}), scale, zeroPoint};
}

Var inType(Var x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

/// One number, or one for each index of a dimension with `after` others after it. An array of
/// several dimensions has these already.
Var alongDim(const LoweringContext& node, size_t input, size_t after, DType dtype) {
    const bool isRow = !isOneNumber(*node.node().input(input)) && node.rank(input) == 1;
    std::vector<int64_t> added;
    for (size_t i = 0; i < after && isRow; ++i) added.push_back(static_cast<int64_t>(i) + 1);
    return unsqueeze(inType(node.input(input), dtype), added);
}

/// Attributes of a QuantizeLinear or DequantizeLinear with such a scale.
Attributes scaledAlong(const LoweringContext& node, size_t scale, size_t after) {
    if (isOneNumber(*node.node().input(scale))) return {};
    return {{"axis", -1 - static_cast<int64_t>(after)}};
}

/// Inputs that hold integers, their scale and their zero point, which may be omitted.
struct Quantized {
    size_t x;
    size_t scale;
    size_t zero;
};

/// (x - zero) scale: a DequantizeLinear if a QuantizeLinear made the integers.
Var numbersIn(const LoweringContext& node, const Quantized& inputs, size_t after = 0) {
    const Var x = node.input(inputs.x), scale = node.input(inputs.scale);
    if (isQuantizer(x.value()->producer())) {
        return node.emitter().op("DequantizeLinear", {x, scale, node.input(inputs.zero)},
                                 scaledAlong(node, inputs.scale, after));
    }
    Var centred = cast(x, scale.dtype());
    if (node.hasInput(inputs.zero))
        centred = centred - alongDim(node, inputs.zero, after, scale.dtype());
    return centred * alongDim(node, inputs.scale, after, scale.dtype());
}

/// Quantizes a result to the type of the zero point.
Var quantizedTo(const LoweringContext& node, Var y, size_t scale, size_t after = 0) {
    return node.emitter().op("QuantizeLinear", {y, node.input(scale), node.input(scale + 1)},
                             scaledAlong(node, scale, after));
}

/// int32 numbers whose scale is the product of two others.
Var biasOf(const LoweringContext& node, size_t bias, size_t scaleA, size_t scaleB) {
    if (!node.hasInput(bias)) return {};
    const Var scale = node.input(scaleA) * node.input(scaleB);
    return cast(node.input(bias), scale.dtype()) * scale;
}

std::vector<Var> lowerQuantizedMatMul(const LoweringContext& node) {
    const Var y = matMul(numbersIn(node, {0, 1, 2}, 1), numbersIn(node, {3, 4, 5}));
    return {quantizedTo(node, y, 6, 1)};
}

std::vector<Var> lowerQuantizedConv(const LoweringContext& node) {
    const auto after = static_cast<size_t>(node.rank(3)) - 1;
    const Var x = numbersIn(node, {0, 1, 2}), weights = numbersIn(node, {3, 4, 5}, after);
    const Var y =
        node.emitter().op("Conv", {x, weights, biasOf(node, 8, 1, 4)}, node.node().attributes());
    return {quantizedTo(node, y, 6)};
}

/// Inputs: a, scale, zero point, b, scale, zero point, bias?, scale and zero point of the result?.
std::vector<Var> lowerQuantizedGemm(const LoweringContext& node) {
    const bool transB = node.attribute<int64_t>("transB", 0) != 0;
    Var a = numbersIn(node, {0, 1, 2}), b = numbersIn(node, {3, 4, 5}, transB ? 1 : 0);
    if (node.attribute<int64_t>("transA", 0) != 0) a = transpose(a, {1, 0});
    if (transB) b = transpose(b, {1, 0});
    Var y = matMul(a, b);
    if (const Var bias = biasOf(node, 6, 1, 4)) y = y + bias;
    const float alpha = node.attribute<float>("alpha", 1.0F);
    if (alpha != 1.0F) y = y * static_cast<double>(alpha);
    return {node.hasInput(7) ? quantizedTo(node, y, 7) : y};
}

/// Inputs: a, b, their scales, their zero points?, bias?.
std::vector<Var> lowerProductToFloat(const LoweringContext& node) {
    const Var y = matMul(numbersIn(node, {0, 2, 4}, 1), numbersIn(node, {1, 3, 5}));
    return {node.hasInput(6) ? y + node.input(6) : y};
}

/// Inputs: a in floats, b, its scale, its zero point?, bias?.
std::vector<Var> lowerProductOfFloats(const LoweringContext& node) {
    GradientEmitter& emitter = node.emitter();
    const std::vector<Var> a =
        emitter.add(kOnnxDomain, "DynamicQuantizeLinear", {node.input(0)}, {}, {true, true, true});
    return {emitter.msOp("MatMulIntegerToFloat", {a[0], node.input(1), a[1], node.input(2), a[2],
                                                  node.input(3), node.input(4)})};
}

// MatMulInteger and ConvInteger give sums of integers, which a Cast makes numbers again. It is the
// Cast that is replaced: others may read the integers.

const Node* integerSums(const Node& cast) {
    const Value* sums = cast.input(0);
    const Node* producer = sums == nullptr ? nullptr : sums->producer();
    const bool areSums =
        producer != nullptr && producer->domain().empty() &&
        (producer->opType() == "MatMulInteger" || producer->opType() == "ConvInteger");
    return areSums ? producer : nullptr;
}

/// The integers of an input as numbers. Those of a QuantizeLinear, round(x / scale) + zero, pass
/// gradients.
Var integersIn(const LoweringContext& sums, size_t input, DType dtype) {
    const Var q = sums.input(input);
    const Node* quantizer = q.value()->producer();
    if (!isQuantizer(quantizer)) return cast(q, dtype);
    const LoweringContext made(sums.emitter(), *quantizer);
    if (!isOneNumber(*quantizer->input(1)) ||
        (made.hasInput(2) && !isOneNumber(*quantizer->input(2)))) {
        sums.refuse("The integers of input " + std::to_string(input) +
                        " have a scale for each index of an axis, so that gradients can't pass.",
                    "Quantize with one scale, or freeze the parameters before it.");
    }
    GradientEmitter& emitter = sums.emitter();
    const IntegerRange range = IntegerRange::of(q.dtype());
    const Var x = inType(made.input(0), dtype) / inType(made.input(1), dtype);
    const Var zero = made.hasInput(2) ? cast(made.input(2), dtype) : emitter.number(0, dtype);
    const Var centred = emitter.msOp("FakeQuant", {x, emitter.number(1, dtype), zero},
                                     {{"quant_min", static_cast<int64_t>(range.low)},
                                      {"quant_max", static_cast<int64_t>(range.high)}});
    return centred + zero;
}

/// x - zero
Var lessZero(const LoweringContext& sums, size_t x, size_t zero, size_t after, DType dtype) {
    const Var integers = integersIn(sums, x, dtype);
    return sums.hasInput(zero) ? integers - alongDim(sums, zero, after, dtype) : integers;
}

std::vector<Var> lowerCastOfSums(const LoweringContext& node) {
    const LoweringContext sums(node.emitter(), *integerSums(node.node()));
    const auto wanted = static_cast<DType>(node.attribute<int64_t>("to", 0));
    const DType dtype = wanted == DType::Float64 ? wanted : DType::Float32;
    if (sums.node().opType() == "MatMulInteger") {
        const Var y = matMul(lessZero(sums, 0, 2, 1, dtype), lessZero(sums, 1, 3, 0, dtype));
        return {inType(y, wanted)};
    }
    const auto after = static_cast<size_t>(sums.rank(1)) - 1;
    const Var y = node.emitter().op(
        "Conv", {lessZero(sums, 0, 2, 0, dtype), lessZero(sums, 1, 3, after, dtype)},
        sums.node().attributes());
    return {inType(y, wanted)};
}

}  // namespace

void addIntegerGradients(GradientRules& gradients) {
    const auto add = [&](std::string_view domain, const char* opType, LoweringRule rule) {
        gradients.addLowered(domain, opType, loweringBy(std::move(rule)));
    };
    add("", "DynamicQuantizeLinear", lowerDynamicQuantize);
    add("", "QLinearMatMul", lowerQuantizedMatMul);
    add("", "QLinearConv", lowerQuantizedConv);
    add(kMicrosoftDomain, "QGemm", lowerQuantizedGemm);
    add(kMicrosoftDomain, "MatMulIntegerToFloat", lowerProductToFloat);
    add(kMicrosoftDomain, "DynamicQuantizeMatMul", lowerProductOfFloats);
    gradients.addLowered("", "Cast", loweringBy(lowerCastOfSums),
                         [](const Node& node) { return integerSums(node) != nullptr; });
    // Replaced together with the Cast after it.
    for (const char* opType : {"MatMulInteger", "ConvInteger"})
        gradients.addTrainingForm("", opType, [](Graph&, Node*) {});
}

}  // namespace temper
