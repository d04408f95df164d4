// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

DType statisticsType(DType dtype) {
    return dtype == DType::Float64 ? DType::Float64 : DType::Float32;
}

/// The shape with another last dimension.
std::optional<SymbolicShape> withLast(std::optional<SymbolicShape> shape, const Dim& last) {
    if (shape && !shape->empty()) shape->back() = last;
    return shape;
}

}  // namespace

/// The skip may lack the batch, or have 1 instead; statistics are one per row.
void inferSkipNorm(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t i : {1, 2, 3, 4}) requireSameDType(context, 0, i);
    broadcastInputs(context, {0, 1});
    requireRank(context, 2, 1);
    if (context.shape(0) && !context.shape(0)->empty() && context.shape(2)) {
        mergeDims(context, context.shape(0)->back(), context.shape(2)->front(),
                  "The last dimension and the length of gamma");
    }
    sameAsInput(context);
    const auto rows = withLast(context.shape(0), Dim::of(1));
    context.setOutput(1, statisticsType(context.dtype(0)), rows);
    context.setOutput(2, statisticsType(context.dtype(0)), rows);
    sameAsInput(context, 0, 3);
}

void inferEmbedLayerNorm(InferenceContext& context) {
    for (const size_t i : {0, 1, 7, 8}) requireDType(context, i, isIndex, "int32 or int64");
    for (const size_t i : {3, 4, 5, 6}) requireSameDType(context, 2, i);
    requireRank(context, 0, 2);
    for (const size_t i : {2, 3, 4}) requireRank(context, i, 2);
    const SymbolicShape ids = context.shape(0).value_or(unknownDims(2));
    const Dim hidden = context.shape(2) ? context.shape(2)->back() : Dim::unknown();
    const SymbolicShape shape{ids[0], ids[1], hidden};
    context.setOutput(0, context.dtype(2), shape);
    context.setOutput(1, DType::Int32, SymbolicShape{ids[0]});
    context.setOutput(2, context.dtype(2), shape);
}

void inferBiasAdd(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireSameDType(context, 0, 2);
    context.setOutput(0, context.dtype(0), broadcastInputs(context));
}

void inferBiasSplitGelu(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    const auto& shape = context.shape(0);
    if (!shape) return context.setOutput(0, context.dtype(0), std::nullopt);
    if (shape->empty()) context.fail("The input is a scalar; expected a tensor to split in two.");
    const Dim& last = shape->back();
    if (!mayDivide(2, last)) {
        context.fail("The last dimension is " + std::to_string(last.value) +
                         "; expected an even one, of two halves.",
                     "Check the shape of the input.");
    }
    context.setOutput(0, context.dtype(0), withLast(shape, quotientOf(last, 2)));
}

void inferBiasDropout(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireSameDType(context, 0, 2);
    sameAsInput(context);
    context.setOutput(1, DType::Bool, context.shape(0));
}

/// dX, dW and dB of a ConvTranspose.
void inferConvTransposeGrad(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context, 1, 0);
    sameAsInput(context, 2, 1);
    const auto& dy = context.shape(0);
    context.setOutput(2, context.dtype(0),
                      SymbolicShape{dy && dy->size() > 1 ? (*dy)[1] : Dim::unknown()});
}

}  // namespace temper
