// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/quantization/quantization.h"

namespace temper {

void registerQuantization(OpSet& ops) {
    addQuantizationTypes(ops.catalog);
    addQuantizationGradients(ops.gradients);
    addQuantizeKernels(ops.cpuKernels);
    addDynamicQuantizeKernels(ops.cpuKernels);
    addFakeQuantKernels(ops.cpuKernels);
    addIntegerProductKernels(ops.cpuKernels);
    registerIntegerConv(ops);
}

bool isByte(DType dtype) { return dtype == DType::UInt8 || dtype == DType::Int8; }

bool isQuantizedType(DType dtype) {
    return dtype == DType::UInt8 || dtype == DType::Int8 || dtype == DType::UInt16 ||
           dtype == DType::Int16;
}

IntegerRange IntegerRange::of(DType dtype) {
    switch (dtype) {
        case DType::UInt8: return {0, 255};
        case DType::Int8: return {-128, 127};
        case DType::UInt16: return {0, 65535};
        case DType::Int16: return {-32768, 32767};
        default: break;
    }
    TEMPER_ASSERT(false, "numbers are quantized to integers of 8 and 16 bits");
    return {};
}

FakeQuantRange FakeQuantRange::of(const Node& node) {
    return {node.attribute<int64_t>("quant_min", 0), node.attribute<int64_t>("quant_max", 255)};
}

}  // namespace temper
