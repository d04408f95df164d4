// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/fused/fused.h"
#include "engine/ops/lowered_op.h"

namespace temper {
namespace {

Var rowsOf(Var table, Var rows) { return table.emitter().op("Gather", {table, rows}); }

/// The number of ones in each row, int32 [batch]; zeros if there is no mask.
Var maskIndex(const LoweringContext& node, size_t mask) {
    GradientEmitter& emitter = node.emitter();
    if (!node.hasInput(mask)) {
        return emitter.op("ConstantOfShape", {sizeAlong(node.input(0), 0)},
                          {{"value", Tensor::of<int32_t>({1}, {0})}});
    }
    const Var one = emitter.constant(Tensor::of<int32_t>({1}, {1}), "one");
    return sum(cast(equal(node.input(mask), one), DType::Int32), {1}, false);
}

/// Inputs: ids, segment ids?, word table, position table, segment table?, gamma, beta, mask?,
/// position ids?. Outputs: y, mask index?, sum of the embeddings?.
std::vector<Var> lowerEmbedLayerNorm(const LoweringContext& node) {
    const Var positions =
        node.hasInput(8) ? node.input(8) : countingTo(sizeAlong(node.input(0), 1));
    Var total = rowsOf(node.input(2), node.input(0)) + rowsOf(node.input(3), positions);
    if (node.hasInput(1) && node.hasInput(4)) {
        total = total + rowsOf(node.input(4), node.input(1));
    }
    const Var y = node.emitter().op(
        "LayerNormalization", {total, node.input(5), node.input(6)},
        {{"axis", int64_t{-1}}, {"epsilon", node.attribute<float>("epsilon", 1e-12F)}});
    return {y, node.wants(1) ? maskIndex(node, 7) : Var(), total};
}

}  // namespace

void registerEmbedding(OpSet& ops) {
    addLowered(ops, microsoftOp("EmbedLayerNormalization", inferEmbedLayerNorm, 7, 9),
               lowerEmbedLayerNorm);
}

}  // namespace temper
