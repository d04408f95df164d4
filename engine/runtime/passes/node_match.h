// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "engine/ir/graph.h"

// Queries of passes about the nodes of a graph.
namespace temper {

inline bool isOnnx(const Node* node, std::string_view op) {
    return node != nullptr && node->opType() == op && node->domain() == kOnnxDomain;
}

/// The node that makes the value, if it is this operator of ONNX; else null.
inline Node* producerOf(const Value* value, std::string_view op) {
    Node* producer = value == nullptr ? nullptr : value->producer();
    return isOnnx(producer, op) ? producer : nullptr;
}

/// The number in a Value that holds only one.
inline std::optional<double> numberIn(const Value* value) {
    if (value == nullptr || !value->isInitializer() || value->constant().numElements() != 1)
        return std::nullopt;
    return value->constant().cast(DType::Float64).values<double>()[0];
}

inline bool isNumber(const Value* value, double number) {
    const std::optional<double> found = numberIn(value);
    return found && *found == number;
}

/// Whether the value is read, and only by uses for which `f` is true.
template <typename F>
bool isReadOnlyBy(const Value* value, F&& f) {
    return value != nullptr && !value->isGraphOutput() && !value->uses().empty() &&
           std::ranges::all_of(value->uses(), f);
}

/// What bodies of the graph's nodes capture.
inline std::unordered_set<const Value*> capturedValues(const Graph& graph) {
    std::unordered_set<const Value*> captured;
    for (const Node* node : graph.nodes()) {
        for (const Value* value : graph.capturedBy(*node)) captured.insert(value);
    }
    return captured;
}

}  // namespace temper
