// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/reachability.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "engine/ir/graph_table.h"

namespace temper {
namespace {

bool isOf(const Node& node, std::initializer_list<std::string_view> operators) {
    return (node.domain().empty() || node.domain() == kMicrosoftDomain) &&
           std::ranges::count(operators, node.opType()) > 0;
}

bool isOfQuantizedNumbers(const Node& node) { return node.opType().starts_with("QLinear"); }

bool isQuantized(const Value& value) {
    const Node* producer = value.producer();
    return producer != nullptr && producer->output(0) == &value &&
           (isOfQuantizedNumbers(*producer) ||
            isOf(*producer, {"QuantizeLinear", "DynamicQuantizeLinear", "QGemm"}));
}

/// Sums of products of integers.
bool isIntegerSum(const Value& value) {
    const Node* producer = value.producer();
    return producer != nullptr && isOf(*producer, {"MatMulInteger", "ConvInteger"});
}

/// These integers, of operators of ONNX or ONNX Runtime, stand for floating-point numbers: for
/// training, operators that pass gradients replace those that make and that read them.
bool standsForNumbers(const Value& value) { return isQuantized(value) || isIntegerSum(value); }

/// Whether the node reads a value as the numbers that it stands for.
bool readsAsNumbers(const Node& node, const Value& value) {
    if (isFloating(value.type().dtype) || !value.type().isKnown()) return true;
    if (isIntegerSum(value)) return isOf(node, {"Cast"});
    return isOfQuantizedNumbers(node) ||
           isOf(node, {"DequantizeLinear", "MatMulInteger", "ConvInteger", "QGemm",
                       "MatMulIntegerToFloat", "DynamicQuantizeMatMul"});
}

/// Whether the operator takes gradients in this slot, whatever value is there.
bool takesGradient(const OpInfo* info, size_t input) {
    return info == nullptr || info->nonDifferentiableInputs.empty() ||
           !info->nonDifferentiableInputs.contains(input);
}

/// See differentiableReads().
template <typename F>
void forEachDifferentiableRead(const Graph& graph, const OpCatalog& catalog, const Node& node,
                               F visit) {
    const OpInfo* info = catalog.find(node);
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        Value* value = node.inputs()[i];
        const bool isDifferentiable = value != nullptr && carriesGradient(*value) &&
                                      takesGradient(info, i) && readsAsNumbers(node, *value);
        if (isDifferentiable) visit(value);
    }
    for (Value* captured : graph.capturedBy(node)) {
        if (carriesGradient(*captured)) visit(captured);
    }
}

/// Adds what the pending values depend on.
void collectBefore(const Graph& graph, const OpCatalog& catalog, std::vector<const Value*> pending,
                   ValueSet& reached) {
    while (!pending.empty()) {
        const Node* node = pending.back()->producer();
        pending.pop_back();
        if (node == nullptr) continue;
        forEachDifferentiableRead(graph, catalog, *node, [&](const Value* value) {
            if (reached.insert(value)) pending.push_back(value);
        });
    }
}

using Readers = ValueTable<std::vector<const Node*>>;

/// The nodes whose bodies read a value of the graph that can carry a gradient.
Readers readersInBodies(const Graph& graph) {
    Readers readers;
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
    if (!type.isTensor() || value.stopsGradients()) return false;
    return isFloating(type.dtype) || !type.isKnown() || standsForNumbers(value);
}

bool isDifferentiableEdge(const OpCatalog& catalog, const Node& node, size_t input) {
    const Value* value = node.input(input);
    return value != nullptr && carriesGradient(*value) &&
           takesGradient(catalog.find(node), input) && readsAsNumbers(node, *value);
}

std::vector<Value*> differentiableReads(const Graph& graph, const OpCatalog& catalog,
                                        const Node& node) {
    std::vector<Value*> reads;
    forEachDifferentiableRead(graph, catalog, node,
                              [&reads](Value* value) { reads.push_back(value); });
    return reads;
}

ValueSet reachedFrom(const Graph& graph, const OpCatalog& catalog,
                     const std::vector<Value*>& from) {
    const Readers readers = readersInBodies(graph);
    ValueSet reached(from.begin(), from.end());
    std::vector<const Value*> pending(from.begin(), from.end());
    const auto reachOutputs = [&](const Node& node) {
        for (const Value* output : node.outputs()) {
            if (output == nullptr || !carriesGradient(*output)) continue;
            if (reached.insert(output)) pending.push_back(output);
        }
    };
    while (!pending.empty()) {
        const Value* value = pending.back();
        pending.pop_back();
        for (const Value::Use& use : value->uses()) {
            if (isDifferentiableEdge(catalog, *use.node, use.input)) reachOutputs(*use.node);
        }
        const auto* captured = readers.find(value);
        if (captured == nullptr) continue;
        for (const Node* node : *captured) reachOutputs(*node);
    }
    return reached;
}

ValueSet reachingTo(const Graph& graph, const OpCatalog& catalog, const Value* to) {
    ValueSet reached = {to};
    collectBefore(graph, catalog, {to}, reached);
    return reached;
}

ValueSet influencing(const Graph& graph, const std::vector<Value*>& to) {
    ValueSet reached(to.begin(), to.end());
    std::vector<const Value*> pending(to.begin(), to.end());
    const auto add = [&](const Value* value) {
        if (reached.insert(value)) pending.push_back(value);
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

ValueSet valuesBefore(const Graph& graph, const OpCatalog& catalog, const Node& node) {
    const std::vector<Value*> reads = differentiableReads(graph, catalog, node);
    ValueSet reached(reads.begin(), reads.end());
    collectBefore(graph, catalog, {reads.begin(), reads.end()}, reached);
    return reached;
}

}  // namespace temper
