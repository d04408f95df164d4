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

/// Adds what the pending values depend on.
void collectBefore(const OpCatalog& catalog, std::vector<const Value*> pending,
                   std::unordered_set<const Value*>& reached) {
    while (!pending.empty()) {
        const Node* node = pending.back()->producer();
        pending.pop_back();
        if (node == nullptr) continue;
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (!isDifferentiableEdge(catalog, *node, i)) continue;
            if (reached.insert(node->input(i)).second) pending.push_back(node->input(i));
        }
    }
}

}  // namespace

bool carriesGradient(const Value& value) {
    const ValueType& type = value.type();
    if (type.isSequence) return false;
    return isFloating(type.dtype) || !type.isKnown() || standsForNumbers(value);
}

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
    collectBefore(catalog, {to}, reached);
    return reached;
}

std::unordered_set<const Value*> influencing(const Graph& graph, const std::vector<Value*>& to) {
    std::unordered_set<const Value*> reached(to.begin(), to.end());
    std::vector<const Value*> pending(to.begin(), to.end());
    const auto add = [&](const Value* value) {
        if (value != nullptr && reached.insert(value).second) pending.push_back(value);
    };
    while (!pending.empty()) {
        const Node* node = pending.back()->producer();
        pending.pop_back();
        if (node == nullptr) continue;
        for (const Value* input : node->inputs()) add(input);
        for (const Value* captured : graph.capturedBy(*node)) add(captured);
    }
    return reached;
}

std::unordered_set<const Value*> valuesBefore(const OpCatalog& catalog, const Node& node) {
    std::unordered_set<const Value*> reached;
    std::vector<const Value*> pending;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (!isDifferentiableEdge(catalog, node, i)) continue;
        if (reached.insert(node.input(i)).second) pending.push_back(node.input(i));
    }
    collectBefore(catalog, std::move(pending), reached);
    return reached;
}

}  // namespace temper
