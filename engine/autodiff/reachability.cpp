// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/reachability.h"

namespace temper {
namespace {

/// The integers of QuantizeLinear stand for its floating-point numbers: the training form of the
/// DequantizeLinear behind it replaces both by an operator that passes gradients.
bool standsForNumbers(const Value& value) {
    const Node* producer = value.producer();
    return producer != nullptr && producer->domain().empty() &&
           producer->opType() == "QuantizeLinear";
}

bool carriesGradient(const Value& value) {
    const ValueType& type = value.type();
    if (type.isSequence) return false;
    return isFloating(type.dtype) || !type.isKnown() || standsForNumbers(value);
}

}  // namespace

bool isDifferentiableEdge(const OpCatalog& catalog, const Node& node, size_t input) {
    const Value* value = node.input(input);
    if (value == nullptr || !carriesGradient(*value)) return false;
    const OpInfo* info = catalog.find(node);
    return info == nullptr || !info->nonDifferentiableInputs.contains(input);
}

std::unordered_set<const Value*> reachedFrom(const OpCatalog& catalog,
                                             const std::vector<Value*>& from) {
    std::unordered_set<const Value*> reached(from.begin(), from.end());
    std::vector<const Value*> pending(from.begin(), from.end());
    while (!pending.empty()) {
        const Value* value = pending.back();
        pending.pop_back();
        for (const Value::Use& use : value->uses()) {
            if (!isDifferentiableEdge(catalog, *use.node, use.input)) continue;
            for (const Value* output : use.node->outputs()) {
                if (output == nullptr || !carriesGradient(*output)) continue;
                if (reached.insert(output).second) pending.push_back(output);
            }
        }
    }
    return reached;
}

std::unordered_set<const Value*> reachingTo(const OpCatalog& catalog, const Value* to) {
    std::unordered_set<const Value*> reached = {to};
    std::vector<const Value*> pending = {to};
    while (!pending.empty()) {
        const Node* node = pending.back()->producer();
        pending.pop_back();
        if (node == nullptr) continue;
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (!isDifferentiableEdge(catalog, *node, i)) continue;
            if (reached.insert(node->input(i)).second) pending.push_back(node->input(i));
        }
    }
    return reached;
}

}  // namespace temper
