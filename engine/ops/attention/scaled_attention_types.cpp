// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

using namespace attention_input;

/// The sizes of an attention, as far as they are known.
struct AttentionSizes {
    Dim batch;
    Dim queryHeads;
    Dim keyHeads;
    Dim queries;
    Dim keys;  ///< those of the past included
    Dim headSize;
    Dim valueSize;
};

/// An input as [batch, heads, sequence, size].
SymbolicShape shapeByHead(const InferenceContext& context, size_t input, int64_t heads) {
    const auto& shape = context.shape(input);
    if (!shape) return unknownDims(4);
    if (shape->size() == 4) return *shape;
    const Dim& hidden = shape->back();
    if (!mayDivide(heads, hidden)) {
        context.fail("Input " + std::to_string(input) + " has the shape " + formatShape(*shape) +
                         "; expected a last dimension that " + counted(heads, "head") +
                         " can share.",
                     "Check the attributes q_num_heads and kv_num_heads.");
    }
    return {(*shape)[0], Dim::of(heads), (*shape)[1], quotientOf(hidden, heads)};
}

/// All three have the same layout; without dimensions for the heads, attributes say how many there
/// are.
void requireLayout(const InferenceContext& context, const AttentionForm& form) {
    for (const size_t input : {kQuery, kKey, kValue}) {
        const int64_t rank = context.inputType(input).rank();
        if (rank < 0) continue;
        if (rank != 3 && rank != 4) {
            context.fail("Input " + std::to_string(input) + " has the shape " +
                             formatShape(*context.shape(input)) +
                             "; expected [batch, sequence, hidden] or [batch, heads, sequence, "
                             "size].",
                         "Reshape it.");
        }
        requireRank(context, kQuery, rank);
        if (rank == 3 && (form.queryHeads < 1 || form.keyHeads < 1)) {
            context.fail(
                "The inputs are [batch, sequence, hidden] and the attributes q_num_heads "
                "and kv_num_heads are " +
                    std::to_string(form.queryHeads) + " and " + std::to_string(form.keyHeads) +
                    "; expected numbers of heads.",
                "Export the model again: the attributes are missing.");
        }
    }
}

void requireAttributes(const InferenceContext& context, const AttentionForm& form) {
    if (form.leftWindow < -1 || form.rightWindow < -1) {
        context.fail("The window has the sizes " + std::to_string(form.leftWindow) + " and " +
                     std::to_string(form.rightWindow) + "; expected -1 or more.");
    }
    if (form.softmaxType != DType::Undefined && !isFloating(form.softmaxType)) {
        context.fail("Attribute 'softmax_precision' is " +
                     std::to_string(static_cast<int>(form.softmaxType)) +
                     "; expected 1, 10, 11 or 16, a floating-point type.");
    }
    const auto shown = static_cast<int64_t>(form.shown);
    if (shown < 0 || shown > 3) {
        context.fail("Attribute 'qk_matmul_output_mode' is " + std::to_string(shown) +
                     "; expected 0 to 3.");
    }
    if (context.hasInput(kPastKey) != context.hasInput(kPastValue)) {
        context.fail("Only one of past_key and past_value is given; expected both or none.");
    }
    if (context.hasInput(kPastKey) && context.hasInput(kLengths)) {
        context.fail("Both past_key and nonpad_kv_seqlen are given; expected at most one.");
    }
}

void requireDTypes(const InferenceContext& context) {
    requireFloating(context, kQuery);
    for (const size_t input : {kKey, kPastKey}) requireSameDType(context, kQuery, input);
    requireFloating(context, kValue);
    requireSameDType(context, kValue, kPastValue);
    if (context.hasInput(kMask)) {
        requireDType(
            context, kMask, [](DType dtype) { return dtype == DType::Bool || isFloating(dtype); },
            "booleans or floating-point numbers");
    }
}

Dim withPastLength(const InferenceContext& context, size_t past, const Dim& fresh) {
    if (!context.hasInput(past)) return fresh;
    requireRank(context, past, 4);
    const auto& shape = context.shape(past);
    if (!shape || !(*shape)[2].isNumber() || !fresh.isNumber()) return Dim::unknown();
    return sumOf((*shape)[2], fresh);
}

void requireSharedHeads(const InferenceContext& context, const AttentionSizes& sizes) {
    const Dim &queries = sizes.queryHeads, &keys = sizes.keyHeads;
    if (!queries.isNumber() || !keys.isNumber()) return;
    if (mayDivide(keys.value, queries)) return;
    context.fail("The queries have " + counted(queries.value, "head") + ", the keys " +
                     std::to_string(keys.value) + "; expected a multiple.",
                 "Check the shapes of queries and keys.");
}

AttentionSizes sizesOf(const InferenceContext& context, const AttentionForm& form) {
    const SymbolicShape q = shapeByHead(context, kQuery, form.queryHeads),
                        k = shapeByHead(context, kKey, form.keyHeads),
                        v = shapeByHead(context, kValue, form.keyHeads);
    AttentionSizes sizes;
    sizes.batch = mergeDims(context, q[0], k[0], "The batches of queries and keys");
    sizes.batch = mergeDims(context, sizes.batch, v[0], "The batches of queries and values");
    sizes.queryHeads = q[1];
    sizes.keyHeads = mergeDims(context, k[1], v[1], "The heads of keys and values");
    sizes.queries = q[2];
    sizes.keys = withPastLength(context, kPastKey,
                                mergeDims(context, k[2], v[2], "The lengths of keys and values"));
    sizes.headSize = mergeDims(context, q[3], k[3], "The sizes of the heads of queries and keys");
    sizes.valueSize = v[3];
    requireSharedHeads(context, sizes);
    return sizes;
}

/// A mask broadcasts to the scores, but its last dimension may be shorter than the keys.
void requireMask(const InferenceContext& context, const AttentionSizes& sizes) {
    if (!context.hasInput(kMask) || !context.shape(kMask)) return;
    const SymbolicShape& mask = *context.shape(kMask);
    const std::array<Dim, 4> wanted = {sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys};
    bool fits = !mask.empty() && mask.size() <= 4;
    for (size_t i = 0; fits && i < mask.size(); ++i) {
        const Dim &own = mask[mask.size() - 1 - i], &full = wanted[3 - i];
        if (!own.isNumber() || !full.isNumber() || own.value == full.value) continue;
        fits = i == 0 ? own.value < full.value : own.value == 1;
    }
    if (fits) return;
    context.fail("The mask has the shape " + formatShape(mask) +
                     "; expected one that broadcasts "
                     "to " +
                     formatShape(SymbolicShape(wanted.begin(), wanted.end())) + ".",
                 "Feed a mask that covers batch, heads, queries and keys, or some of them.");
}

}  // namespace

void inferScaledAttention(InferenceContext& context) {
    const AttentionForm form = AttentionForm::of(context.node());
    requireDTypes(context);
    requireAttributes(context, form);
    requireLayout(context, form);
    const AttentionSizes sizes = sizesOf(context, form);
    requireMask(context, sizes);
    const DType dtype = context.dtype(kQuery);
    std::optional<SymbolicShape> y;
    if (context.inputType(kQuery).rank() == 3) {
        y = {sizes.batch, sizes.queries, productOf(sizes.queryHeads, sizes.valueSize)};
    } else if (context.inputType(kQuery).rank() == 4) {
        y = {sizes.batch, sizes.queryHeads, sizes.queries, sizes.valueSize};
    }
    context.setOutput(0, dtype, y);
    context.setOutput(1, dtype,
                      SymbolicShape{sizes.batch, sizes.keyHeads, sizes.keys, sizes.headSize});
    context.setOutput(2, context.dtype(kValue),
                      SymbolicShape{sizes.batch, sizes.keyHeads, sizes.keys, sizes.valueSize});
    context.setOutput(3, dtype,
                      SymbolicShape{sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys});
}

}  // namespace temper
