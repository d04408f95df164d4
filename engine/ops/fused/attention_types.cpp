// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

using MaybeShape = std::optional<SymbolicShape>;

void requireHeads(const InferenceContext& context, const Dim& hidden, int64_t heads) {
    if (mayDivide(heads, hidden)) return;
    context.fail("Attribute 'num_heads' is " + std::to_string(heads) +
                     "; expected a divisor of the hidden size " + formatShape({hidden}) + ".",
                 "Export the model again: the attribute is wrong or missing.");
}

void checkHiddenSizes(const InferenceContext& context, const AttentionAttributes& attributes) {
    const std::vector<int64_t>& sizes = attributes.hiddenSizes;
    if (sizes.empty()) return;
    const bool areSizes = sizes.size() == 3 && std::ranges::all_of(sizes, [](int64_t size) {
                              return size > 0 && size <= std::numeric_limits<int32_t>::max();
                          });
    if (!areSizes || sizes[0] != sizes[1]) {
        context.fail("Attribute 'qkv_hidden_sizes' is " + formatShape(sizes) +
                         "; expected the hidden sizes of Q, K and V, the first two equal.",
                     "Export the model again: the attribute is wrong.");
    }
    for (const int64_t size : sizes) requireHeads(context, Dim::of(size), attributes.heads);
    if (!context.shape(1)) return;
    mergeDims(context, context.shape(1)->back(), Dim::of(sizes[0] + sizes[1] + sizes[2]),
              "The columns of the weights and the sum of qkv_hidden_sizes");
}

/// The hidden size of the values, a third of the projection if the attribute is absent.
Dim valueSize(const InferenceContext& context, const AttentionAttributes& attributes) {
    if (attributes.hiddenSizes.size() == 3) return Dim::of(attributes.hiddenSizes[2]);
    if (!context.shape(1)) return Dim::unknown();
    const Dim& projected = context.shape(1)->back();
    if (!mayDivide(3, projected)) {
        context.fail("The weights have " + counted(projected.value, "column") +
                         "; expected those of Q, K and V, three times the hidden size.",
                     "Export the model with the attribute qkv_hidden_sizes.");
    }
    return quotientOf(projected, 3);
}

/// [2, batch, heads, past + sequence, head size], or as the past if that is known.
MaybeShape presentShape(const InferenceContext& context, const SymbolicShape& x, const Dim& value,
                        int64_t heads) {
    Dim length = x[1];
    if (context.hasInput(4)) {
        requireRank(context, 4, 5);
        length = context.shape(4) ? sumOf((*context.shape(4))[3], x[1]) : Dim::unknown();
    }
    return SymbolicShape{Dim::of(2), x[0], Dim::of(heads), length, quotientOf(value, heads)};
}

/// [batch, heads, past + keys, head size] of keys or values.
MaybeShape presentOf(const InferenceContext& context, size_t input, size_t past, int64_t heads) {
    const size_t from = context.hasInput(input) ? input : context.hasInput(1) ? 1 : 0;
    const auto& shape = context.shape(from);
    if (!shape || shape->size() < 3) return std::nullopt;
    const size_t rank = shape->size();
    Dim length = rank == 4 ? (*shape)[2] : (*shape)[1];
    const Dim size = rank == 3 ? quotientOf(shape->back(), heads) : shape->back();
    if (context.hasInput(past)) {
        const auto& before = context.shape(past);
        length = before && before->size() == 4 ? sumOf((*before)[2], length) : Dim::unknown();
    }
    return SymbolicShape{shape->front(), Dim::of(heads), length, size};
}

/// The hidden size of the values: of V [B, L, D], V [B, N, L, H] or packed [B, L, N, parts, H].
Dim hiddenSizeOf(const InferenceContext& context, int64_t heads) {
    const size_t from = context.hasInput(2) ? 2 : context.hasInput(1) ? 1 : 0;
    const auto& shape = context.shape(from);
    if (!shape) return Dim::unknown();
    if (shape->size() == 3) return shape->back();
    return heads >= 1 && shape->back().isNumber() ? productOf(shape->back(), heads)
                                                  : Dim::unknown();
}

/// A mask by column (its last dimension) has one for each key, those of the past included.
void checkMask(const InferenceContext& context, size_t mask, const Dim& keys) {
    if (!context.hasInput(mask) || !context.shape(mask)) return;
    const SymbolicShape& shape = *context.shape(mask);
    if (shape.size() < 2 || shape.size() > 3 || !shape.back().isNumber() || !keys.isNumber() ||
        shape.back().value == keys.value) {
        return;
    }
    context.fail("The mask has the shape " + formatShape(shape) + "; expected " +
                     std::to_string(keys.value) +
                     " as its last dimension, the length of past and sequence together.",
                 "Feed a mask that also covers the past.");
}

}  // namespace

void inferAttention(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireSameDType(context, 0, 2);
    requireRank(context, 0, 3);
    requireRank(context, 1, 2);
    const auto attributes = AttentionAttributes::of(context.node());
    checkHiddenSizes(context, attributes);
    const Dim value = valueSize(context, attributes);
    requireHeads(context, value, attributes.heads);
    if (!context.shape(0)) return context.setOutput(0, context.dtype(0), unknownDims(3));
    const SymbolicShape& x = *context.shape(0);
    if (context.shape(1)) {
        mergeDims(context, x[2], context.shape(1)->front(),
                  "The last dimension of the input and the rows of the weights");
    }
    context.setOutput(0, context.dtype(0), SymbolicShape{x[0], x[1], value});
    const MaybeShape present = presentShape(context, x, value, attributes.heads);
    checkMask(context, 3, (*present)[3]);
    context.setOutput(1, context.dtype(0), present);
}

void inferMultiHeadAttention(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t i : {1, 2, 3, 5, 6, 7}) requireSameDType(context, 0, i);
    for (const size_t i : {0, 1, 2}) requireRankAtLeast(context, i, 3);
    const int64_t heads = AttentionAttributes::of(context.node()).heads;
    const Dim hidden = hiddenSizeOf(context, heads);
    requireHeads(context, hidden, heads);
    const auto& query = context.shape(0);
    if (query && query->size() != 3 && query->size() != 5) {
        context.fail("The query has the shape " + formatShape(*query) +
                         "; expected [batch, sequence, hidden] or a packed query.",
                     "Transpose the query.");
    }
    SymbolicShape shape = unknownDims(3);
    if (query) shape = {(*query)[0], (*query)[1], hidden};
    context.setOutput(0, context.dtype(0), shape);
    const MaybeShape keys = presentOf(context, 1, 6, heads);
    if (keys) checkMask(context, 4, (*keys)[2]);
    context.setOutput(1, context.dtype(0), keys);
    context.setOutput(2, context.dtype(0), presentOf(context, 2, 7, heads));
}

}  // namespace temper
