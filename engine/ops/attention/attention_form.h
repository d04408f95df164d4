// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/ir/op_catalog.h"
#include "engine/ops/lowered_op.h"

namespace temper {

/// Inputs of ONNX's Attention.
namespace attention_input {
inline constexpr size_t kQuery = 0, kKey = 1, kValue = 2, kMask = 3, kPastKey = 4, kPastValue = 5,
                        kLengths = 6;
}

/// Attributes of ONNX's Attention.
struct AttentionForm {
    /// What the output qk_matmul_output shows.
    enum class Shown : int64_t { Products, Capped, Biased, Probabilities };

    int64_t queryHeads = 0;      ///< 0 if the inputs are [batch, heads, sequence, size]
    int64_t keyHeads = 0;        ///< the same
    std::optional<float> scale;  ///< of the scores; absent: 1 / sqrt(head size)
    float softcap = 0;           ///< 0: none
    bool isCausal = false;
    int64_t leftWindow = -1;   ///< positions before the query's own that it sees; -1: all
    int64_t rightWindow = -1;  ///< the same for those after it
    DType softmaxType = DType::Undefined;  ///< Undefined: that of the inputs
    Shown shown = Shown::Products;

    static AttentionForm of(const Node& node);

    bool hasWindow() const { return leftWindow >= 0 || rightWindow >= 0; }
};

/// Queries, keys and values by head, [batch, heads, sequence, size], those of the past included.
struct AttentionHeads {
    Var q;
    Var k;
    Var v;
    bool areGrouped = false;  ///< several heads of queries may share one of keys and values

    static AttentionHeads of(const LoweringContext& node, const AttentionForm& form);

    /// Queries times keys, times the scale or 1 / sqrt(head size): [batch, heads, queries, keys].
    Var products(std::optional<float> scale) const;
    /// The values weighted by the probabilities: [batch, heads, queries, size].
    Var chosen(Var probabilities) const;

    /// For the sums: halves as float32, others unchanged.
    AttentionHeads widened() const;

    /// Queries, scores or results of heads that share keys as more rows of one head:
    /// [batch, key heads, rows * share, ...]; unchanged if none do.
    Var grouped(Var byQueryHead) const;
    /// The inverse of grouped().
    Var ungrouped(Var byKeyHead) const;
};

/// Which keys the queries see; all of it broadcasts to [batch, heads, queries, keys].
struct AttentionVisibility {
    Var seen;                ///< booleans; empty: every query sees all
    Var bias;                ///< added to the scores; empty: nothing
    bool allSeeSome = true;  ///< every query sees a key

    static AttentionVisibility of(const LoweringContext& node, const AttentionForm& form,
                                  const AttentionHeads& heads);

    /// Whether a query sees a key at all, [..., queries, 1].
    Var seesAny() const;

private:
    /// What the input attn_mask hides or adds.
    void addMask(const LoweringContext& node, const AttentionHeads& heads);
};

/// [batch, sequence, heads * size] to [batch, heads, sequence, size].
Var splitHeads(Var x, int64_t heads);
/// The inverse.
Var joinHeads(Var x);
/// cap tanh(scores / cap); unchanged if the cap is 0.
Var cappedScores(Var scores, float cap);
/// Cast if it is of another type.
Var asType(Var x, DType dtype);
/// A scalar.
Var minusInfinity(DType dtype, GradientEmitter& emitter);

void inferScaledAttention(InferenceContext& context);

}  // namespace temper
