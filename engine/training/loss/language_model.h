// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

/// How exported language models, mainly those of Transformers, name their inputs and outputs.
namespace temper {

/// The input of token indices: `input_ids`, or else the only input of whole numbers [N, T] that is
/// not a helperInput(). Null if that is ambiguous.
Value* findTokens(const Graph& model);

/// The input `attention_mask` [N, T]: not 0 where a token counts. Null if there is none.
Value* findAttentionMask(const Graph& model);

/// The purpose of an input besides the tokens.
enum class HelperInput {
    None,           ///< any other, which has to be fed
    AttentionMask,  ///< `attention_mask` [N, T]: 1 where a token counts
    Positions,      ///< `position_ids` [N, T]: whole numbers from 0
    Segments,       ///< `token_type_ids` [N, T]: whole numbers, 0 for the first text
    Cache           ///< `past_key_values...`, of rank 4 with one open axis after the first one
};
HelperInput helperInput(const std::string& name, const ValueType& type);

/// The axis of a cache that counts tokens.
size_t tokenAxisOfCache(const ValueType& type);

/// The only output that is not named like caches, hidden states and attentions; null if there are
/// several. If some outputs are tensors, the others are not candidates.
Value* findMainOutput(const Graph& model);

/// The output `logits`, a tensor; null if there is none.
Value* findLogits(const Graph& model);

}  // namespace temper
