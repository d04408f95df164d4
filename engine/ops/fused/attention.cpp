// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "engine/core/checked.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/lowered_op.h"

namespace temper {
namespace {

/// Queries, keys and values by head: [batch, heads, sequence, head size].
struct Heads {
    Var q;
    Var k;
    Var v;
};

/// Indices of the scores' columns, in the type of `like`: [1, columns].
Var columnNumbers(Var keys, Var like) {
    return unsqueeze(cast(countingTo(sizeAlong(keys, 2)), like.dtype()), {0});
}

/// 1-D masks: the end of each sequence, followed by the starts if there are twice as many.
Var keptByLengths(const LoweringContext& node, size_t input, const Heads& heads) {
    const Var mask = node.input(input);
    const Dim &count = node.dim(input, 0), &batch = node.dim(0, 0);
    const bool areEnds = count.sameAs(batch);
    const bool haveStarts = batch.isNumber() && count.sameAs(productOf(batch, 2));
    if (!areEnds && !haveStarts) {
        node.refuse("The mask has the shape " + formatShape(node.shape(input)) +
                        " and the batch the size " + formatShape({batch}) +
                        "; expected one or two numbers for each sequence.",
                    "Export the model with a mask [batch, sequence].");
    }
    const Var columns = columnNumbers(heads.k, mask);
    if (areEnds) return less(columns, unsqueeze(mask, {1}));
    const std::vector<Var> parts = split(mask, 0, {batch.value, batch.value});
    return logicalAnd(less(columns, unsqueeze(parts[0], {1})),
                      logicalNot(less(columns, unsqueeze(parts[1], {1}))));
}

/// Rows and columns of a mask for the longest sequence: those of the positions after the past.
Var cutOut(Var mask, const Heads& heads) {
    GradientEmitter& emitter = mask.emitter();
    const Var rows = sizeAlong(heads.q, 2), columns = sizeAlong(heads.k, 2);
    const Var begins = concat({columns - rows, emitter.integers({0})}, 0);
    return emitter.op("Slice",
                      {mask, begins, concat({columns, columns}, 0), emitter.integers({2, 3})});
}

Var isPositive(Var mask) {
    return greater(
        mask, mask.emitter().constant(Tensor::of<int64_t>({1}, {0}).cast(mask.dtype()), "zero"));
}

/// Which scores a mask keeps, as booleans that broadcast to [batch, heads, rows, columns].
Var keptBy(const LoweringContext& node, size_t input, const Heads& heads) {
    const Var mask = node.input(input);
    switch (node.rank(input)) {
        case 1: return unsqueeze(keptByLengths(node, input, heads), {1, 2});
        case 2: return unsqueeze(isPositive(mask), {1, 2});
        case 3: return unsqueeze(isPositive(mask), {1});
        case 4: return isPositive(cutOut(mask, heads));
        default:
            node.refuse("The mask has the shape " + formatShape(node.shape(input)) +
                            "; expected one to four dimensions.",
                        "Export the model with a mask [batch, sequence].");
    }
}

/// Whether a column is after the row's own position: [rows, columns].
Var isFuture(const Heads& heads) {
    const Var rows = sizeAlong(heads.q, 2), columns = sizeAlong(heads.k, 2);
    const Var own = countingTo(rows) + (columns - rows);
    return greater(unsqueeze(countingTo(columns), {0}), unsqueeze(own, {1}));
}

/// What changes the scores before the softmax: inputs of the node, or none.
struct ScoreInputs {
    size_t mask;
    size_t bias;
};

/// The queries times the scale of the scores.
Var scaledQueries(const Heads& heads, float scale) {
    const Dim& size = heads.q.shape().back();
    if (scale != 0.0F) return heads.q * static_cast<double>(scale);
    if (size.isNumber()) return heads.q * (1 / std::sqrt(static_cast<double>(size.value)));
    return heads.q / sqrt(cast(sizeAlong(heads.q, 3), heads.q.dtype()));
}

/// softmax(scale q kT + mask + bias) v, [batch, rows, hidden size].
Var attend(const LoweringContext& node, const AttentionAttributes& attributes, const Heads& heads,
           ScoreInputs inputs) {
    Var scores = matMul(scaledQueries(heads, attributes.scale), transpose(heads.k, {0, 1, 3, 2}));
    if (node.hasInput(inputs.mask)) {
        GradientEmitter& emitter = node.emitter();
        const Var masked = emitter.number(static_cast<double>(attributes.masked), scores.dtype());
        const Var none = emitter.number(0, scores.dtype());
        scores = scores + where(keptBy(node, inputs.mask, heads), none, masked);
    }
    if (node.hasInput(inputs.bias)) scores = scores + node.input(inputs.bias);
    if (attributes.isCausal) scores = where(isFuture(heads), lowestOf(scores), scores);
    return joinHeads(matMul(softmaxOfRows(scores), heads.v));
}

void refuseAttribute(const LoweringContext& node, const char* name) {
    if (node.attribute<int64_t>(name, 0) == 0) return;
    node.refuse("Attribute '" + std::string(name) + "' is not supported.",
                "Export the model for the CPU, without it.");
}

/// Inputs: x, weights, bias?, mask?, past?, attention bias?. Outputs: y, present?.
std::vector<Var> lowerAttention(const LoweringContext& node) {
    refuseAttribute(node, "do_rotary");
    refuseAttribute(node, "past_present_share_buffer");
    const auto attributes = AttentionAttributes::of(node.node());
    std::vector<int64_t> sizes = attributes.hiddenSizes;
    if (sizes.empty()) sizes.assign(3, node.size(1, 1) / 3);
    Var projected = matMul(node.input(0), node.input(1));
    if (node.hasInput(2)) projected = projected + node.input(2);
    const std::vector<Var> parts = split(projected, 2, sizes);
    Heads heads{splitHeads(parts[0], attributes.heads), splitHeads(parts[1], attributes.heads),
                splitHeads(parts[2], attributes.heads)};
    if (node.hasInput(4)) {
        const std::vector<Var> past = split(node.input(4), 0, {1, 1});
        heads.k = concat({squeeze(past[0], {0}), heads.k}, 2);
        heads.v = concat({squeeze(past[1], {0}), heads.v}, 2);
    }
    std::vector<Var> results{attend(node, attributes, heads, {.mask = 3, .bias = 5})};
    if (node.wants(1)) {
        results.push_back(concat({unsqueeze(heads.k, {0}), unsqueeze(heads.v, {0})}, 0));
    }
    return results;
}

/// One of the parts of a packed tensor [batch, sequence, heads, parts, size], by head.
Var unpacked(Var packed, int64_t part) {
    return transpose(squeeze(slice(packed, 3, part, part + 1), {3}), {0, 2, 1, 3});
}

/// The bias of Q, K and V, split; empty Vars if there is none.
std::vector<Var> biasParts(const LoweringContext& node, int64_t heads) {
    if (!node.hasInput(3)) return std::vector<Var>(3);
    int64_t query = 0;
    if (node.rank(0) == 3) {
        query = node.size(0, 2);
    } else {
        query = checkedProduct(node.size(0, 4), heads);
    }
    const int64_t rest = checkedSum(node.size(3, 0), checkedProduct(-2, query));
    return split(node.input(3), 0, {query, query, rest});
}

Var headsOf(Var x, Var bias, int64_t heads) { return splitHeads(bias ? x + bias : x, heads); }

/// Packed parts take their share of the bias by head.
Var unpackedWithBias(Var packed, int64_t part, Var bias, int64_t heads) {
    const Var x = unpacked(packed, part);
    return bias ? x + unsqueeze(reshapeTo(bias, {heads, -1}), {1}) : x;
}

Heads headsOf(const LoweringContext& node, int64_t heads) {
    const std::vector<Var> bias = biasParts(node, heads);
    const Var query = node.input(0), key = node.input(1), value = node.input(2);
    if (!key) {
        return {unpackedWithBias(query, 0, bias[0], heads),
                unpackedWithBias(query, 1, bias[1], heads),
                unpackedWithBias(query, 2, bias[2], heads)};
    }
    const Var q = headsOf(query, bias[0], heads);
    if (!value) {
        return {q, unpackedWithBias(key, 0, bias[1], heads),
                unpackedWithBias(key, 1, bias[2], heads)};
    }
    // Precomputed keys and values come by head, with their bias added.
    if (node.rank(1) == 4) return {q, key, value};
    return {q, headsOf(key, bias[1], heads), headsOf(value, bias[2], heads)};
}

/// Inputs: query, key?, value?, bias?, key padding mask?, attention bias?, past key?, past value?.
/// Outputs: y, present key?, present value?.
std::vector<Var> lowerMultiHeadAttention(const LoweringContext& node) {
    const auto attributes = AttentionAttributes::of(node.node());
    if (node.rank(0) == 3 && !node.hasInput(1)) {
        node.refuse("The keys are missing.", "Feed keys and values, or a packed query.");
    }
    Heads heads = headsOf(node, attributes.heads);
    if (node.hasInput(6)) heads.k = concat({node.input(6), heads.k}, 2);
    if (node.hasInput(7)) heads.v = concat({node.input(7), heads.v}, 2);
    return {attend(node, attributes, heads, {.mask = 4, .bias = 5}), heads.k, heads.v};
}

}  // namespace

AttentionAttributes AttentionAttributes::of(const Node& node) {
    return {node.attribute<int64_t>("num_heads", 0),
            node.attribute<int64_t>("unidirectional", 0) != 0, node.attribute<float>("scale", 0.0F),
            node.attribute<float>("mask_filter_value", -10000.0F),
            node.attribute<std::vector<int64_t>>("qkv_hidden_sizes", {})};
}

void registerAttention(OpSet& ops) {
    addLowered(ops, microsoftOp("Attention", inferAttention, 2, 7), lowerAttention,
               {.weightInputs = {1, 2}});
    addLowered(ops, microsoftOp("MultiHeadAttention", inferMultiHeadAttention, 1, 8),
               lowerMultiHeadAttention);
}

}  // namespace temper
