// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/sequence_folding.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ir/captures.h"

namespace temper {
namespace {

using Elements = std::vector<Value*>;

bool isOnnx(const Node& node, std::string_view op) {
    return node.domain().empty() && node.opType() == op;
}

/// Where the next tensor goes in a sequence of that length; at the end where nothing is said.
std::optional<size_t> placeOf(const Node& insertion, size_t length) {
    const Value* place = insertion.input(2);
    if (place == nullptr) return length;
    if (!place->isInitializer() || place->constant().numElements() != 1) return std::nullopt;
    const auto count = static_cast<int64_t>(length);
    int64_t at = place->constant().toInt64();
    if (at < 0) at += count;
    if (at < 0 || at > count) return std::nullopt;
    return static_cast<size_t>(at);
}

/// The tensors of a sequence; nothing where they are not known one by one.
std::optional<Elements> elementsOf(const Value* sequence) {
    std::vector<const Node*> insertions;  // the last one first
    const Node* node = sequence == nullptr ? nullptr : sequence->producer();
    while (node != nullptr && (isOnnx(*node, "SequenceInsert") || isOnnx(*node, "Identity"))) {
        if (isOnnx(*node, "SequenceInsert")) insertions.push_back(node);
        node = node->input(0) == nullptr ? nullptr : node->input(0)->producer();
    }
    if (node == nullptr || insertions.empty()) return std::nullopt;
    Elements elements;
    if (isOnnx(*node, "SequenceConstruct")) {
        elements = node->inputs();
    } else if (!isOnnx(*node, "SequenceEmpty")) {
        return std::nullopt;
    }
    std::ranges::reverse(insertions);
    for (const Node* insertion : insertions) {
        const auto place = placeOf(*insertion, elements.size());
        if (!place || insertion->input(1) == nullptr) return std::nullopt;
        elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*place),
                        insertion->input(1));
    }
    return elements;
}

/// The elements with a new axis.
Elements unsqueezed(Graph& graph, const Elements& elements, int64_t axis, const std::string& name) {
    const std::vector<int64_t> axes{axis};
    const bool areInput = graph.info().onnxOpset() >= 13;
    Value* axesValue = nullptr;
    if (areInput) {
        axesValue =
            graph.addLiteral(graph.uniqueName(name + "_axes"), Tensor::of<int64_t>({1}, {axis}));
    }
    Elements result;
    for (Value* element : elements) {
        NodeSpec spec{.opType = "Unsqueeze",
                      .inputs = {element},
                      .outputs = {graph.uniqueName(name + "_element")}};
        if (areInput) spec.inputs.push_back(axesValue);
        if (!areInput) spec.attributes["axes"] = axes;
        result.push_back(graph.addNode(std::move(spec))->output(0));
    }
    return result;
}

/// Removes what makes a sequence, as far as nothing else reads it.
void removeUnread(Graph& graph, Value* sequence) {
    const CapturingNodes captured = capturingNodes(graph);
    while (sequence != nullptr && sequence->producer() != nullptr && sequence->uses().empty() &&
           !sequence->isGraphOutput() && !captured.contains(sequence)) {
        Node* node = sequence->producer();
        const bool isChained = isOnnx(*node, "SequenceInsert") || isOnnx(*node, "Identity");
        if (!isChained && !isOnnx(*node, "SequenceEmpty") && !isOnnx(*node, "SequenceConstruct"))
            return;
        sequence = isChained ? node->input(0) : nullptr;
        graph.removeNode(node);
    }
}

}  // namespace

void foldCollectedSequences(Graph& graph) {
    for (Node* node : graph.topologicalOrder()) {
        if (!isOnnx(*node, "ConcatFromSequence") || node->output(0) == nullptr) continue;
        auto elements = elementsOf(node->input(0));
        if (!elements || elements->empty()) continue;
        const std::string name = node->output(0)->name();
        const auto axis = node->attribute<int64_t>("axis", 0);
        if (node->attribute<int64_t>("new_axis", 0) != 0) {
            elements = unsqueezed(graph, *elements, axis, name);
        }
        const Node* joined = graph.addNode({.opType = "Concat",
                                            .inputs = *elements,
                                            .outputs = {graph.uniqueName(name + "_joined")},
                                            .attributes = {{"axis", axis}},
                                            .name = node->name()});
        Value* sequence = node->input(0);
        graph.replaceNode(node, {joined->output(0)});
        removeUnread(graph, sequence);
    }
}

}  // namespace temper
