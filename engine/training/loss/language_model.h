// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

/// What exports of language models, those of Transformers above all, call their inputs and outputs.
namespace temper {

/// The input of token numbers: `input_ids`, or else the only input of whole numbers [N, T] that is
/// none of helperInput(). Null where that is not clear.
Value* findTokens(const Graph& model);

/// The input `attention_mask` [N, T]: not 0 where a token counts. Null where there is none.
Value* findAttentionMask(const Graph& model);

/// What an input beside the tokens is for.
enum class HelperInput {
    None,           ///< one that has to be fed
    AttentionMask,  ///< `attention_mask` [N, T]: 1 where a token counts
    Positions,      ///< `position_ids` [N, T]: whole numbers from 0
    Segments,       ///< `token_type_ids` [N, T]: whole numbers, 0 for the first text
    Cache           ///< `past_key_values...`, of rank 4 with one open axis behind the first one
};
HelperInput helperInput(const std::string& name, const ValueType& type);

/// The axis of a cache that counts tokens.
size_t tokenAxisOfCache(const ValueType& type);

/// The only output that is not called as caches, hidden states and attentions are; null where there
/// are several.
Value* findMainOutput(const Graph& model);

/// The output `logits`; null where there is none.
Value* findLogits(const Graph& model);

}  // namespace temper
