// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Which keys the queries see, taken apart.
struct AttentionSight {
    struct Pair {
        Value* lower = nullptr;
        Value* upper = nullptr;
        bool isStrict = false;
    };
    Value* all = nullptr;  ///< the booleans as a whole; null: every query sees all keys
    std::vector<Value*> masks;
    std::vector<Pair> pairs;
    bool infiniteHides = false;  ///< keys with a bias of minus infinity are hidden
};

/// An attention as products, softmax and what lies between, and its gradient if there is one.
/// Shapes as block_attention.h has them.
struct AttentionMatch {
    Value* q = nullptr;
    Value* k = nullptr;
    Value* v = nullptr;
    int64_t heads = 0;
    float softcap = 0;
    Value* bias = nullptr;
    AttentionSight sight;
    Node* chosen = nullptr;  ///< the product with the values; null where only the gradient is there

    Value* dy = nullptr;  ///< null: no gradient
    Node* dq = nullptr;   ///< the products; null where the gradient is not wanted
    Node* dkTransposed = nullptr;
    Node* dv = nullptr;

    std::vector<Node*> shapes;  ///< Shape nodes that read what lies inside

    /// The attention around a Softmax, if it is one of this form and nothing else needs what lies
    /// inside. The graph's types are known. `captured`: values that bodies of the graph read.
    static std::optional<AttentionMatch> at(Node& softmax, int64_t opset,
                                            const std::unordered_set<const Value*>& captured);
};

/// A Value that holds one number.
std::optional<double> numberIn(const Value* value);

}  // namespace temper
