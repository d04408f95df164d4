// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ops/lowered_op.h"
#include "engine/ops/op_set.h"

namespace temper {

/// The operators that ONNX Runtime's optimizers substitute for several: Attention,
/// MultiHeadAttention, SkipLayerNormalization, EmbedLayerNormalization, RotaryEmbedding,
/// GroupQueryAttention, MatMulNBits, FusedConv, FusedGemm and others of com.microsoft. Each is
/// lowered to the operators that it was made of: these run instead of it, and gradients pass
/// through them. RotaryEmbedding of ONNX is also here. Source: ONNX Runtime,
/// docs/ContribOperators.md.
void registerFused(OpSet& ops);

void registerAttention(OpSet& ops);
void registerEmbedding(OpSet& ops);
void registerRotary(OpSet& ops);
void registerSkipNorm(OpSet& ops);
void registerGroupedAttention(OpSet& ops);
void registerBlockQuantized(OpSet& ops);
void registerQuantizedAttention(OpSet& ops);
void registerChannelsLast(OpSet& ops);
void registerGroupNorm(OpSet& ops);
void registerContribForms(OpSet& ops);
void registerContribFormulas(OpSet& ops);

/// Attributes of Attention and MultiHeadAttention.
struct AttentionAttributes {
    int64_t heads = 0;
    bool isCausal = false;
    float scale = 0;                   ///< of the scores; 0 stands for 1 / sqrt(head size)
    float masked = -10000;             ///< added to the scores of positions that a mask leaves out
    std::vector<int64_t> hiddenSizes;  ///< of Q, K and V; empty: a third of the weights each

    static AttentionAttributes of(const Node& node);
};

// Types.
void inferAttention(InferenceContext& context);
void inferMultiHeadAttention(InferenceContext& context);
void inferSkipNorm(InferenceContext& context);
void inferEmbedLayerNorm(InferenceContext& context);
void inferBiasAdd(InferenceContext& context);
void inferBiasSplitGelu(InferenceContext& context);
void inferBiasDropout(InferenceContext& context);
void inferConvTransposeGrad(InferenceContext& context);

/// y = activation(x), as the attribute `activation` names it; x if there is none.
/// `parameters` are those that it takes, by position as ONNX Runtime lists them.
/// Throws: Error(Unsupported) for an unknown name.
Var activated(const LoweringContext& node, Var x, const std::vector<float>& parameters);
/// The activation of a convolution, with `activation_params`.
Var activatedConv(const LoweringContext& node, Var x);
/// The attributes of the node, without these.
Attributes attributesBut(const Node& node, const std::vector<std::string>& dropped);
/// The types of an operator of ONNX that is already registered.
TypeInference inferenceOf(const OpSet& ops, const char* opType);

/// An operator of com.microsoft.
inline OpInfo microsoftOp(const char* opType, TypeInference infer, size_t minInputs,
                          size_t maxInputs) {
    return {.domain = std::string(kMicrosoftDomain),
            .opType = opType,
            .infer = std::move(infer),
            .minInputs = minInputs,
            .maxInputs = maxInputs};
}

}  // namespace temper
