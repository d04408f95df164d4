// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/weight_slots.h"

#include <algorithm>

namespace temper {
namespace {

bool isExponent(const Value::Use& use) {
    return use.node->opType() == "Pow" && use.node->domain().empty() && use.input == 1;
}

}  // namespace

const Node* weightReader(const Value& value, const OpCatalog& catalog) {
    for (const Value::Use& use : value.uses()) {
        const OperatorFacts& facts = catalog.facts(*use.node);
        if (facts.weightInputs.contains(use.input)) return use.node;
        const Value* next = use.node->output(0);
        if (use.input != 0 || next == nullptr || !facts.movesData) continue;
        if (const Node* found = weightReader(*next, catalog)) return found;
    }
    return nullptr;
}

bool isOnlyExponent(const Value& value, const OpCatalog& catalog) {
    const auto leadsToExponent = [&catalog](const Value::Use& use) {
        if (isExponent(use)) return true;
        const Value* next = use.node->output(0);
        return use.input == 0 && next != nullptr && catalog.facts(*use.node).movesData &&
               isOnlyExponent(*next, catalog);
    };
    return !value.uses().empty() && std::ranges::all_of(value.uses(), leadsToExponent);
}

}  // namespace temper
