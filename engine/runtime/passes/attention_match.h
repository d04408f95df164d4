// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/ir/block_attention.h"
#include "engine/ir/graph.h"
#include "engine/runtime/passes/attention_sight.h"

namespace temper {

/// An attention as products, softmax and the nodes between, and its gradient if there is one.
/// Shapes as in block_attention.h.
struct AttentionMatch {
    Value* q = nullptr;
    Value* k = nullptr;  ///< as it is before the model transposes it, if the model does
    /// The Transpose that k needs to be [..., keys, size]; empty: none.
    std::vector<int64_t> keyOrder;
    Value* v = nullptr;
    int64_t batch = 1;
    int64_t heads = 1;
    float scale = 1;
    float softcap = 0;
    Value* bias = nullptr;
    Value* seen = nullptr;  ///< the condition that selects scores or the lowest number
    bool hides = false;     ///< keys are hidden, by `sight`
    block_attention::Blind blind = block_attention::Blind::Mean;
    AttentionSight sight;
    Node* chosen = nullptr;  ///< the product with the values; null if only the gradient is there

    Value* dy = nullptr;  ///< null: no gradient
    Node* dq = nullptr;   ///< make the gradients; null if one is not wanted
    Node* dk = nullptr;
    bool isDkTurned = false;  ///< it makes [..., size, keys], in the order of the keys' product
    Node* dv = nullptr;

    std::vector<Node*> shapes;  ///< Shape nodes that read inner values

    /// The attention around a Softmax, if it is one of this form and nothing else needs its inner
    /// values. The graph's types are known. `captured`: values that bodies of the graph read.
    static std::optional<AttentionMatch> at(Node& softmax, int64_t opset,
                                            const std::unordered_set<const Value*>& captured);
};

}  // namespace temper
