// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/loss_nodes.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_set>

namespace temper {

bool hasLossName(const Node& node) {
    const std::string& name = node.name();
    if (!name.starts_with("onnx::")) return false;
    const size_t last = name.rfind("::");
    const std::string number = name.substr(last + 2);
    return last > 4 && !number.empty() &&
           std::all_of(number.begin(), number.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<const Node*> lossNodes(const Graph& model) {
    std::unordered_set<const Node*> found;
    if (model.outputs().empty()) return {};
    std::vector<const Value*> open = {model.outputs().front()};
    while (!open.empty()) {
        const Node* node = open.back()->producer();
        open.pop_back();
        if (node == nullptr || !hasLossName(*node) || !found.insert(node).second) continue;
        for (const Value* input : node->inputs()) {
            if (input != nullptr) open.push_back(input);
        }
    }
    std::vector<const Node*> nodes;
    for (const Node* node : model.nodes()) {
        if (found.contains(node)) nodes.push_back(node);
    }
    return nodes;
}

const Node* producerOf(const Value* value, std::string_view opType) {
    const Node* node = value == nullptr ? nullptr : value->producer();
    return node != nullptr && node->opType() == opType ? node : nullptr;
}

bool isClassLoss(const Node& node) {
    return node.opType().starts_with("SoftmaxCrossEntropyLoss") ||
           node.opType().starts_with("NegativeLogLikelihoodLoss");
}

std::optional<int64_t> ignoredLabelOf(const Node& node) {
    if (const auto attribute = node.attribute<int64_t>("ignore_index")) return attribute;
    const Value* input = node.input(3);
    if (input == nullptr || !input->isInitializer()) return std::nullopt;
    return input->constant().toInt64();
}

const Value* beforeTransposition(const Value* logits) {
    const Node* node = producerOf(logits, "Transpose");
    if (node == nullptr) node = producerOf(logits, "Flatten");
    return node != nullptr && hasLossName(*node) ? node->input(0) : logits;
}

}  // namespace temper
