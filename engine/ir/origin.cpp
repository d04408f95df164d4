// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/origin.h"

namespace temper {

const Value* originOf(const Value* value, const OpCatalog& catalog) {
    while (value != nullptr && !value->isInitializer()) {
        const Node* node = value->producer();
        if (node == nullptr || !catalog.facts(*node).movesData) return nullptr;
        value = node->input(0);
    }
    return value;
}

}  // namespace temper
