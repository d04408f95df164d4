// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/shape.h"
#include "engine/ops/op_set.h"

namespace temper {

/// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, MatMulInteger, ConvInteger,
/// QLinearMatMul, QLinearConv, com.microsoft FakeQuant with its gradient, and the operators of
/// com.microsoft on integers of 8 bits.
void registerQuantization(OpSet& ops);

void addQuantizationTypes(OpCatalog& catalog);
void addQuantizationGradients(GradientRules& gradients);
void addIntegerGradients(GradientRules& gradients);
void addQuantizeKernels(KernelRegistry& kernels);
void addDynamicQuantizeKernels(KernelRegistry& kernels);
void addFakeQuantKernels(KernelRegistry& kernels);
void addIntegerProductKernels(KernelRegistry& kernels);
void registerIntegerConv(OpSet& ops);
void registerQuantizedForms(OpSet& ops);
void registerQuantizedProducts(OpSet& ops);

/// The integers of an element type.
struct IntegerRange {
    double low = 0;
    double high = 255;

    /// Throws: Error(Unsupported) for floats of 8 bits and less, Error(Internal) for types other
    /// than integers of 16 bits or less.
    static IntegerRange of(DType dtype);
};

/// The types that numbers are quantized to.
bool isQuantizedType(DType dtype);

/// int8 or uint8.
bool isByte(DType dtype);

/// Whether a node, which may be null, is a QuantizeLinear.
bool isQuantizer(const Node* node);

/// Whether a scale or zero point is a number for all elements.
bool isOneNumber(const Value& value);

/// Whether an operator of com.microsoft takes images whose channels are the last dimension.
bool areChannelsLast(const Node& node);

/// The shape of a product of matrices at these inputs, as MatMul has it.
std::optional<SymbolicShape> productShape(const InferenceContext& context, size_t a, size_t b);

/// Attributes of FakeQuant.
struct FakeQuantRange {
    int64_t low = 0;
    int64_t high = 255;

    static FakeQuantRange of(const Node& node);
};

}  // namespace temper
