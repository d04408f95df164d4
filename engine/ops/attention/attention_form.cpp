// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/attention/attention_form.h"

#include <cmath>
#include <limits>
#include <utility>

namespace temper {
namespace {

using namespace attention_input;

/// Reshaped to as many heads as `like` has, the rows divided among them.
Var withHeadsOf(Var x, Var like) {
    const Dim& heads = like.shape()[1];
    if (heads.isNumber()) return reshapeTo(x, {0, heads.value, -1, 0});
    GradientEmitter& emitter = x.emitter();
    return reshape(
        x, concat({emitter.integers({0}), sizeAlong(like, 1), emitter.integers({-1, 0})}, 0));
}

/// Multiplies both queries and keys by the root of the scale, as specified, so that their products
/// do not overflow.
std::pair<Var, Var> scaledBoth(const AttentionHeads& heads, std::optional<float> given) {
    const Dim& size = heads.q.shape().back();
    std::optional<double> scale = given;
    if (!scale && size.isNumber()) scale = 1 / std::sqrt(static_cast<double>(size.value));
    if (scale) {
        const double root = std::sqrt(std::abs(*scale));
        return {heads.q * std::copysign(root, *scale), heads.k * root};
    }
    const Var root = sqrt(sqrt(cast(sizeAlong(heads.q, 3), heads.q.dtype())));
    return {heads.q / root, heads.k / root};
}

/// With the content of the cache before it.
Var withPast(const LoweringContext& node, size_t past, Var fresh) {
    return node.hasInput(past) ? concat({node.input(past), fresh}, 2) : fresh;
}

}  // namespace

AttentionForm AttentionForm::of(const Node& node) {
    AttentionForm form;
    form.queryHeads = node.attribute<int64_t>("q_num_heads", 0);
    form.keyHeads = node.attribute<int64_t>("kv_num_heads", 0);
    if (node.hasAttribute("scale")) form.scale = node.attribute<float>("scale", 0.0F);
    form.softcap = node.attribute<float>("softcap", 0.0F);
    form.isCausal = node.attribute<int64_t>("is_causal", 0) != 0;
    form.leftWindow = node.attribute<int64_t>("left_window_size", -1);
    form.rightWindow = node.attribute<int64_t>("right_window_size", -1);
    form.softmaxType = static_cast<DType>(node.attribute<int64_t>("softmax_precision", 0));
    form.shown = static_cast<Shown>(node.attribute<int64_t>("qk_matmul_output_mode", 0));
    return form;
}

AttentionHeads AttentionHeads::of(const LoweringContext& node, const AttentionForm& form) {
    AttentionHeads heads{node.input(kQuery), node.input(kKey), node.input(kValue)};
    if (node.rank(kQuery) == 3) {
        heads.q = splitHeads(heads.q, form.queryHeads);
        heads.k = splitHeads(heads.k, form.keyHeads);
        heads.v = splitHeads(heads.v, form.keyHeads);
    }
    heads.areGrouped = !heads.q.shape()[1].sameAs(heads.k.shape()[1]);
    heads.k = withPast(node, kPastKey, heads.k);
    heads.v = withPast(node, kPastValue, heads.v);
    return heads;
}

Var AttentionHeads::products(std::optional<float> scale) const {
    const auto [queries, keys] = scaledBoth(*this, scale);
    return ungrouped(matMul(grouped(queries), transpose(keys, {0, 1, 3, 2})));
}

Var AttentionHeads::chosen(Var probabilities) const {
    return ungrouped(matMul(grouped(probabilities), asType(v, probabilities.dtype())));
}

AttentionHeads AttentionHeads::widened() const {
    const bool isHalf = q.dtype() == DType::Float16 || q.dtype() == DType::BFloat16;
    const DType dtype = isHalf ? DType::Float32 : q.dtype();
    return {asType(q, dtype), asType(k, dtype), asType(v, dtype), areGrouped};
}

Var AttentionHeads::grouped(Var byQueryHead) const {
    return areGrouped ? withHeadsOf(byQueryHead, k) : byQueryHead;
}

Var AttentionHeads::ungrouped(Var byKeyHead) const {
    return areGrouped ? withHeadsOf(byKeyHead, q) : byKeyHead;
}

Var splitHeads(Var x, int64_t heads) {
    return transpose(reshapeTo(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

Var joinHeads(Var x) { return reshapeTo(transpose(x, {0, 2, 1, 3}), {0, 0, -1}); }

Var cappedScores(Var scores, float cap) {
    if (cap <= 0) return scores;
    const auto limit = static_cast<double>(cap);
    return scores.emitter().op("Tanh", {scores / limit}) * limit;
}

Var asType(Var x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

Var minusInfinity(DType dtype, GradientEmitter& emitter) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return emitter.constant(Tensor::scalar(-kInfinity).cast(dtype), "minus_infinity");
}

}  // namespace temper
