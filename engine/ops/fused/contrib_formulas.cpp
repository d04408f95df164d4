// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Smaller formulas of com.microsoft: distances, complex products, gated position biases.

/// The distances of the rows of a [M, N] and b [K, N]: [M, K].
std::vector<Var> lowerCDist(const LoweringContext& node) {
    const Var apart = unsqueeze(node.input(0), {1}) - unsqueeze(node.input(1), {0});
    const Var squares = sum(apart * apart, {2}, false);
    const auto metric = node.attribute<std::string>("metric", "sqeuclidean");
    if (metric == "sqeuclidean") return {squares};
    if (metric == "euclidean") return {sqrt(squares)};
    node.refuse("The metric '" + metric + "' is not supported.",
                "Export the model with 'euclidean' or 'sqeuclidean'.");
}

void inferCDist(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireRank(context, 0, 2);
    requireRank(context, 1, 2);
    const SymbolicShape a = context.shape(0).value_or(unknownDims(2));
    const SymbolicShape b = context.shape(1).value_or(unknownDims(2));
    mergeDims(context, a[1], b[1], "The columns of both inputs");
    context.setOutput(0, context.dtype(0), SymbolicShape{a[0], b[0]});
}

/// Pairs of a real and an imaginary part are in the last dimension.
LoweringRule complexProduct(bool isConjugate) {
    return [isConjugate](const LoweringContext& node) -> std::vector<Var> {
        const auto parts = [&](size_t input) {
            return split(node.input(input), node.rank(input) - 1, {1, 1});
        };
        const std::vector<Var> a = parts(0), b = parts(1);
        const Var imaginary = isConjugate ? -b[1] : b[1];
        const Var real = a[0] * b[0] - a[1] * imaginary;
        return {concat({real, a[0] * imaginary + a[1] * b[0]}, real.rank() - 1)};
    };
}

void inferComplexProduct(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    for (const size_t i : {0, 1}) {
        const auto& shape = context.shape(i);
        if (!shape) continue;
        const bool arePairs =
            !shape->empty() && (!shape->back().isNumber() || shape->back().value == 2);
        if (arePairs) continue;
        context.fail("Input " + std::to_string(i) + " has the shape " + formatShape(*shape) +
                         "; expected pairs of real and imaginary parts in the last dimension.",
                     "Check the shapes of the model.");
    }
    context.setOutput(0, context.dtype(0), broadcastInputs(context));
}

/// Inputs: queries [B, S, N H], their bias [N H], biases of positions [1, N, S, S], weights [H, D],
/// their bias [D], factors [1, N, 1, 1]. The gates u and r are sigmoids of sums of the halves of
/// D; y = (u (r factor - 1) + 2) biases.
/// Source: ONNX Runtime, docs/ContribOperators.md, GatedRelativePositionBias.
std::vector<Var> lowerGatedPositionBias(const LoweringContext& node) {
    if (node.hasInput(6)) {
        node.refuse("Input 'token_offset', of batches without padding, is not supported.",
                    "Export the model with padded batches.");
    }
    const Var queries =
        splitHeads(node.input(0) + node.input(1), node.attribute<int64_t>("num_heads", 0));
    const int64_t half = node.size(3, 1) / 2;
    const Var projected = matMul(queries, node.input(3)) + node.input(4);
    const std::vector<Var> sums = split(projected, 3, {half, half});
    const Var u = sigmoid(sum(sums[0], {3})), r = sigmoid(sum(sums[1], {3}));
    return {(u * (r * node.input(5) - 1.0) + 2.0) * node.input(2)};
}

void inferGatedPositionBias(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t i : {1, 2, 3, 4, 5}) requireSameDType(context, 0, i);
    requireRank(context, 2, 4);
    requireRank(context, 3, 2);
    requireRank(context, 0, context.hasInput(6) ? 2 : 3);
    const auto heads = context.node().attribute<int64_t>("num_heads", 0);
    if (heads < 1) {
        context.fail(
            "Attribute 'num_heads' is " + std::to_string(heads) + "; expected the number of heads.",
            "Export the model again: the attribute is wrong or missing.");
    }
    SymbolicShape shape = context.shape(2).value_or(unknownDims(4));
    const bool isBatch = context.shape(0) && !context.hasInput(6);
    shape[0] = isBatch ? context.shape(0)->front() : Dim::unknown();
    shape[1] = Dim::of(heads);
    context.setOutput(0, context.dtype(0), shape);
}

}  // namespace

void registerContribFormulas(OpSet& ops) {
    addLowered(ops, microsoftOp("CDist", inferCDist, 2, 2), lowerCDist);
    addLowered(ops, microsoftOp("ComplexMul", inferComplexProduct, 2, 2), complexProduct(false));
    addLowered(ops, microsoftOp("ComplexMulConj", inferComplexProduct, 2, 2), complexProduct(true));
    addLowered(ops, microsoftOp("GatedRelativePositionBias", inferGatedPositionBias, 6, 7),
               lowerGatedPositionBias);
}

}  // namespace temper
