// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/fused/rotary.h"

#include <algorithm>
#include <utility>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/lowered_op.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

Rotation rotationOf(const LoweringContext& node) {
    Rotation rotation;
    rotation.turned = 2 * node.size(2, 1);
    rotation.isInterleaved = node.attribute<int64_t>("interleaved", 0) != 0;
    const auto heads = node.attribute<int64_t>("num_heads", 0);
    const bool isPartial = node.attribute<int64_t>("rotary_embedding_dim", 0) > 0;
    if (node.rank(0) == 4) {
        rotation.headSize = node.size(0, 3);
    } else {
        rotation.headSize = isPartial && heads > 0 ? node.size(0, 2) / heads : rotation.turned;
    }
    return rotation;
}

/// One row of a table per position, with a dimension for the heads.
Var tableRows(const LoweringContext& node, size_t table, bool headsFirst) {
    Var positions = node.input(1);
    const int64_t sequence = headsFirst ? 2 : 1;
    const bool isOffset = node.rank(1) == 1;
    if (isOffset) positions = countingTo(sizeAlong(node.input(0), sequence)) + positions;
    const Var rows = node.emitter().op("Gather", {node.input(table), positions});
    if (headsFirst) return isOffset ? rows : unsqueeze(rows, {1});
    return unsqueeze(rows, {isOffset ? 1 : 2});
}

/// (a, b) -> (a cos - b sin, b cos + a sin)
std::pair<Var, Var> turn(Var a, Var b, Var cosine, Var sine) {
    return {a * cosine - b * sine, b * cosine + a * sine};
}

/// `x` is [..., turned].
Var turnedHalves(Var x, const Rotation& rotation, Var cosine, Var sine) {
    const int64_t half = rotation.turned / 2;
    const std::vector<Var> parts = split(x, 3, {half, half});
    const auto [a, b] = turn(parts[0], parts[1], cosine, sine);
    return concat({a, b}, 3);
}

Var turnedPairs(Var x, const Rotation& rotation, Var cosine, Var sine) {
    const std::vector<Var> parts =
        split(reshapeTo(x, {0, 0, 0, rotation.turned / 2, 2}), 4, {1, 1});
    const auto [a, b] = turn(squeeze(parts[0], {4}), squeeze(parts[1], {4}), cosine, sine);
    return reshapeTo(concat({unsqueeze(a, {4}), unsqueeze(b, {4})}, 4), {0, 0, 0, rotation.turned});
}

/// cos(e) q + sin(e) q', and the same of keys. Inputs: embedding [B, S, H], then q, q', k and k',
/// [B, N, S, H].
std::vector<Var> lowerGemmaRotary(const LoweringContext& node) {
    GradientEmitter& emitter = node.emitter();
    const auto wave = [&](const char* opType) {
        return unsqueeze(asType(emitter.op(opType, {node.input(0)}), node.input(1).dtype()), {1});
    };
    const Var sine = wave("Sin"), cosine = wave("Cos");
    return {node.input(1) * cosine + node.input(2) * sine,
            node.input(3) * cosine + node.input(4) * sine};
}

void inferGemmaRotary(InferenceContext& context) {
    requireFloating(context, 0);
    requireFloating(context, 1);
    requireRank(context, 0, 3);
    for (const size_t i : {1, 2, 3, 4}) {
        requireRank(context, i, 4);
        requireSameDType(context, 1, i);
    }
    sameAsInput(context, 1);
    sameAsInput(context, 3, 1);
}

/// Inputs: x [B, S, N H] or [B, N, S, H], positions [1] or [B, S], cosines and sines [M, R / 2].
/// Source: Su et al., RoFormer (2021), section 3.4.2.
std::vector<Var> lowerRotaryEmbedding(const LoweringContext& node) {
    if (node.attribute<int64_t>("is_packed_batching", 0) != 0) {
        node.refuse("Packed batches are not supported.", "Export the model without them.");
    }
    const Rotation rotation = rotationOf(node);
    const bool headsFirst = node.rank(0) == 4;
    const Var x =
        headsFirst ? node.input(0) : reshapeTo(node.input(0), {0, 0, -1, rotation.headSize});
    const Var cosine = tableRows(node, 2, headsFirst), sine = tableRows(node, 3, headsFirst);
    const Var y = turnedHeads(x, rotation, cosine, sine);
    return {headsFirst ? y : reshapeLike(y, node.input(0))};
}

void requireRotatedShape(const InferenceContext& context) {
    const int64_t rank = context.inputType(0).rank();
    if (rank >= 0 && rank != 3 && rank != 4) {
        context.fail("The input has the shape " + formatShape(*context.shape(0)) +
                         "; expected [batch, sequence, hidden] or [batch, heads, sequence, size].",
                     "Reshape it.");
    }
}

void inferRotaryEmbedding(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 2);
    requireSameDType(context, 0, 3);
    requireRank(context, 2, 2);
    requireRank(context, 3, 2);
    requireRotatedShape(context);
    sameAsInput(context);
}

/// That of ONNX, opset 23. Inputs: x [B, S, N H] or [B, N, S, H], cosines and sines [M, R / 2] with
/// positions [B, S], or [B, S, R / 2] without.
std::vector<Var> lowerOnnxRotaryEmbedding(const LoweringContext& node) {
    const bool headsFirst = node.rank(0) == 4;
    const int64_t heads = std::max<int64_t>(node.attribute<int64_t>("num_heads", 0), 1);
    Rotation rotation;
    rotation.headSize = headsFirst ? node.size(0, 3) : node.size(0, 2) / heads;
    rotation.turned = node.attribute<int64_t>("rotary_embedding_dim", 0);
    if (rotation.turned == 0) rotation.turned = rotation.headSize;
    rotation.isInterleaved = node.attribute<int64_t>("interleaved", 0) != 0;
    const auto table = [&](size_t input) {
        const Var rows = node.hasInput(3)
                             ? node.emitter().op("Gather", {node.input(input), node.input(3)})
                             : node.input(input);
        return unsqueeze(rows, {headsFirst ? 1 : 2});
    };
    const Var x = headsFirst ? node.input(0) : reshapeTo(node.input(0), {0, 0, heads, -1});
    const Var y = turnedHeads(x, rotation, table(1), table(2));
    return {headsFirst ? y : reshapeLike(y, node.input(0))};
}

/// Without a dimension for the heads, an attribute says how many there are.
void requireSharedBy(const InferenceContext& context, int64_t heads) {
    const Dim& hidden = context.shape(0)->back();
    if (mayDivide(heads, hidden)) return;
    context.fail("Attribute 'num_heads' is " + std::to_string(heads) +
                     "; expected a divisor of the last dimension " + formatShape({hidden}) + ".",
                 "Export the model again: the attribute is wrong or missing.");
}

void inferOnnxRotaryEmbedding(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireSameDType(context, 0, 2);
    for (const size_t table : {1, 2}) requireRank(context, table, context.hasInput(3) ? 2 : 3);
    requireRank(context, 3, 2);
    requireRotatedShape(context);
    const auto heads = context.node().attribute<int64_t>("num_heads", 0);
    if (context.inputType(0).rank() == 3) requireSharedBy(context, heads);
    sameAsInput(context);
}

}  // namespace

Var turnedHeads(Var x, const Rotation& rotation, Var cosine, Var sine) {
    const int64_t rest = rotation.headSize - rotation.turned;
    std::vector<Var> parts{x};
    if (rest > 0) parts = split(x, 3, {rotation.turned, rest});
    parts[0] = rotation.isInterleaved ? turnedPairs(parts[0], rotation, cosine, sine)
                                      : turnedHalves(parts[0], rotation, cosine, sine);
    return rest > 0 ? concat(parts, 3) : parts[0];
}

void registerRotary(OpSet& ops) {
    OpInfo info{.domain = "",
                .opType = "RotaryEmbedding",
                .infer = inferOnnxRotaryEmbedding,
                .minInputs = 3,
                .maxInputs = 4,
                .nonDifferentiableInputs = {3}};
    addLowered(ops, std::move(info), lowerOnnxRotaryEmbedding);
    addLowered(ops, microsoftOp("RotaryEmbedding", inferRotaryEmbedding, 4, 4),
               lowerRotaryEmbedding);
    addLowered(ops, microsoftOp("GemmaRotaryEmbedding", inferGemmaRotary, 5, 5), lowerGemmaRotary);
}

}  // namespace temper
