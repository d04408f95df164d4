// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/attention/attention_ops.h"
#include "engine/ops/attention/block_attention.h"

namespace temper {
namespace {

using Shown = AttentionForm::Shown;

/// The stages of the scores, [batch, heads, queries, keys].
class AttentionScores {
public:
    AttentionScores(const AttentionHeads& heads, const AttentionForm& form,
                    const AttentionVisibility& visibility)
        : form_(form), visibility_(visibility) {
        products_ = heads.products(form.scale);
        capped_ = cappedScores(products_, form.softcap);
        biased_ = visibility.bias ? capped_ + visibility.bias : capped_;
    }

    /// Keys that are not seen get the lowest number, not minus infinity: with that, the softmax of
    /// a query that sees none would be undefined.
    Var probabilities() const {
        Var scores = biased_;
        if (form_.softmaxType != DType::Undefined) scores = asType(scores, form_.softmaxType);
        if (visibility_.seen) scores = where(visibility_.seen, scores, lowestOf(scores));
        return asType(softmaxOfRows(scores), biased_.dtype());
    }

    /// The output qk_matmul_output.
    Var shown(Var probabilities) const {
        switch (form_.shown) {
            case Shown::Products: return products_;
            case Shown::Capped: return capped_;
            case Shown::Biased: break;
            case Shown::Probabilities: return withoutBlind(probabilities);
        }
        if (!visibility_.seen) return biased_;
        return where(visibility_.seen, biased_, minusInfinity(biased_.dtype(), biased_.emitter()));
    }

    /// Zeros for queries that see no key.
    Var withoutBlind(Var x) const {
        if (visibility_.allSeeSome) return x;
        return where(visibility_.seesAny(), x, numberLike(x, 0));
    }

private:
    const AttentionForm& form_;
    const AttentionVisibility& visibility_;
    Var products_;
    Var capped_;
    Var biased_;
};

/// Inputs: Q, K, V, mask?, past key?, past value?, lengths?. Outputs: Y, present key?, present
/// value?, scores?.
/// Source: ONNX, docs/Operators.md, Attention.
std::vector<Var> lowerScaledAttention(const LoweringContext& node) {
    const AttentionForm form = AttentionForm::of(node.node());
    const AttentionHeads given = AttentionHeads::of(node, form), heads = given.widened();
    const auto visibility = AttentionVisibility::of(node, form, heads);
    const AttentionScores scores(heads, form, visibility);
    const Var probabilities = scores.probabilities();
    const Var y = asType(scores.withoutBlind(heads.chosen(probabilities)), given.q.dtype());
    std::vector<Var> results = {node.rank(attention_input::kQuery) == 3 ? joinHeads(y) : y, given.k,
                                given.v};
    if (node.wants(3)) results.push_back(asType(scores.shown(probabilities), given.q.dtype()));
    return results;
}

}  // namespace

void registerAttentionOps(OpSet& ops) {
    registerFlexAttention(ops);
    registerLinearAttention(ops);
    registerStateOps(ops);
    registerBlockAttentionTypes(ops.catalog);
    registerBlockAttentionKernels(ops.cpuKernels);
    OpInfo info{.domain = "",
                .opType = "Attention",
                .infer = inferScaledAttention,
                .minInputs = 3,
                .maxInputs = 7,
                .nonDifferentiableInputs = {attention_input::kLengths}};
    addLowered(ops, std::move(info), lowerScaledAttention);
}

}  // namespace temper
