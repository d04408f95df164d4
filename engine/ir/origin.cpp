// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/origin.h"

#include <set>
#include <string_view>

namespace temper {

bool passesNumbersOn(const Node& node) {
    static const std::set<std::string_view> kOperators = {
        "Identity", "Transpose", "Cast",    "CastLike",         "Reshape",
        "Squeeze",  "Unsqueeze", "Flatten", "DequantizeLinear",
    };
    return kOperators.contains(node.opType());
}

const Value* originOf(const Value* value) {
    while (value != nullptr && !value->isInitializer()) {
        const Node* node = value->producer();
        if (node == nullptr || !passesNumbersOn(*node)) return nullptr;
        value = node->input(0);
    }
    return value;
}

}  // namespace temper
