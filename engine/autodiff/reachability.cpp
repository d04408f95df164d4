// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/reachability.h"

#include <unordered_map>

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
void collectBefore(const Graph& graph, const OpCatalog& catalog, std::vector<const Value*> pending,
                   std::unordered_set<const Value*>& reached) {
    while (!pending.empty()) {
        const Node* node = pending.back()->producer();
        pending.pop_back();
        if (node == nullptr) continue;
        for (const Value* value : differentiableReads(graph, catalog, *node)) {
            if (reached.insert(value).second) pending.push_back(value);
        }
    }
}

/// The nodes whose bodies read a value of the graph that can carry a gradient.
std::unordered_map<const Value*, std::vector<const Node*>> readersInBodies(const Graph& graph) {
    std::unordered_map<const Value*, std::vector<const Node*>> readers;
    for (const Node* node : graph.nodes()) {
        for (const Value* value : graph.capturedBy(*node)) {
            if (carriesGradient(*value)) readers[value].push_back(node);
        }
    }
    return readers;
}

}  // namespace

bool carriesGradient(const Value& value) {
    const ValueType& type = value.type();
    if (type.isSequence || value.stopsGradients()) return false;
    return isFloating(type.dtype) || !type.isKnown() || standsForNumbers(value);
}

bool isDifferentiableEdge(const OpCatalog& catalog, const Node& node, size_t input) {
    const Value* value = node.input(input);
    if (value == nullptr || !carriesGradient(*value)) return false;
    const OpInfo* info = catalog.find(node);
    return info == nullptr || !info->nonDifferentiableInputs.contains(input);
}

std::vector<Value*> differentiableReads(const Graph& graph, const OpCatalog& catalog,
                                        const Node& node) {
    std::vector<Value*> reads;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (isDifferentiableEdge(catalog, node, i)) reads.push_back(node.input(i));
    }
    for (Value* captured : graph.capturedBy(node)) {
        if (carriesGradient(*captured)) reads.push_back(captured);
    }
    return reads;
}

std::unordered_set<const Value*> reachedFrom(const Graph& graph, const OpCatalog& catalog,
                                             const std::vector<Value*>& from) {
    const auto readers = readersInBodies(graph);
    std::unordered_set<const Value*> reached(from.begin(), from.end());
    std::vector<const Value*> pending(from.begin(), from.end());
    const auto reachOutputs = [&](const Node& node) {
        for (const Value* output : node.outputs()) {
            if (output == nullptr || !carriesGradient(*output)) continue;
            if (reached.insert(output).second) pending.push_back(output);
        }
    };
    while (!pending.empty()) {
        const Value* value = pending.back();
        pending.pop_back();
        for (const Value::Use& use : value->uses()) {
            if (isDifferentiableEdge(catalog, *use.node, use.input)) reachOutputs(*use.node);
        }
        const auto captured = readers.find(value);
        if (captured == readers.end()) continue;
        for (const Node* node : captured->second) reachOutputs(*node);
    }
    return reached;
}

std::unordered_set<const Value*> reachingTo(const Graph& graph, const OpCatalog& catalog,
                                            const Value* to) {
    std::unordered_set<const Value*> reached = {to};
    collectBefore(graph, catalog, {to}, reached);
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

std::unordered_set<const Value*> valuesBefore(const Graph& graph, const OpCatalog& catalog,
                                              const Node& node) {
    const std::vector<Value*> reads = differentiableReads(graph, catalog, node);
    std::unordered_set<const Value*> reached(reads.begin(), reads.end());
    collectBefore(graph, catalog, {reads.begin(), reads.end()}, reached);
    return reached;
}

}  // namespace temper
