// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/quantization/quantization.h"

#include "engine/core/small_types.h"

namespace temper {

void registerQuantization(OpSet& ops) {
    addQuantizationTypes(ops.catalog);
    addQuantizationGradients(ops.gradients);
    addIntegerGradients(ops.gradients);
    addQuantizeKernels(ops.cpuKernels);
    addDynamicQuantizeKernels(ops.cpuKernels);
    addFakeQuantKernels(ops.cpuKernels);
    addIntegerProductKernels(ops.cpuKernels);
    registerIntegerConv(ops);
    registerQuantizedForms(ops);
    registerQuantizedProducts(ops);
}

bool isByte(DType dtype) { return dtype == DType::UInt8 || dtype == DType::Int8; }

bool isQuantizedType(DType dtype) {
    return dtype == DType::UInt8 || dtype == DType::Int8 || dtype == DType::UInt16 ||
           dtype == DType::Int16 || (isSmall(dtype) && dtype != DType::Float8E8M0);
}

bool isQuantizer(const Node* node) { return node != nullptr && node->opType() == "QuantizeLinear"; }

bool isOneNumber(const Value& value) {
    if (value.isInitializer()) return value.constant().numElements() == 1;
    const auto& shape = value.type().shape;
    return shape && (shape->empty() || (shape->size() == 1 && shape->front() == Dim::of(1)));
}

IntegerRange IntegerRange::of(DType dtype) {
    if (isSmallInteger(dtype)) {
        const SmallRange range = smallRange(dtype);
        return {static_cast<double>(range.low), static_cast<double>(range.high)};
    }
    if (isSmallFloat(dtype)) {
        throw Error(ErrorCode::Unsupported,
                    "Numbers that are quantized to " + std::string(dtypeName(dtype)) +
                        " have no integer range, so that gradients can't pass.",
                    "Quantize to integers, or freeze the parameters before it.");
    }
    switch (dtype) {
        case DType::UInt8: return {0, 255};
        case DType::Int8: return {-128, 127};
        case DType::UInt16: return {0, 65535};
        case DType::Int16: return {-32768, 32767};
        default: break;
    }
    TEMPER_ASSERT(false, "the type is an integer of 16 bits or less");
    return {};
}

FakeQuantRange FakeQuantRange::of(const Node& node) {
    return {node.attribute<int64_t>("quant_min", 0), node.attribute<int64_t>("quant_max", 255)};
}

}  // namespace temper
