// SPDX-License-Identifier: Apache-2.0
#include "engine/training/opset/opset_upgrade.h"

#include <span>
#include <vector>

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr int64_t kOldestRaised = 7;  ///< since then operators broadcast as they do today

[[noreturn]] void refuse(const Node& node, const std::string& what) {
    throw Error(
        ErrorCode::Unsupported,
        "Opset 9, the oldest for training, has no " + what + " like " + node.describe() + ".",
        "Export the model for opset 9 or newer.");
}

/// Only statistics by channel remain.
void raiseBatchNormalization(Node* node) {
    if (node->attribute<int64_t>("spatial", 1) != 1) {
        refuse(*node, "batch normalization by element");
    }
    node->removeAttribute("spatial");
}

/// The scales become an input.
void raiseUpsample(Graph& graph, Node* node) {
    const auto scales = node->attribute<std::vector<float>>("scales", {});
    if (scales.empty()) return;
    const Shape shape = {static_cast<int64_t>(scales.size())};
    Tensor data = Tensor::of<float>(shape, std::span<const float>(scales));
    const std::string name = graph.uniqueName(node->output(0)->name() + "_scales");
    graph.setInput(node, 1, graph.addLiteral(name, std::move(data)));
    node->removeAttribute("scales");
}

}  // namespace

/// Source: ONNX, docs/Changelog.md, versions 8 and 9.
void raiseOpset(Graph& graph) {
    const int64_t opset = graph.info().onnxOpset();
    if (opset < kOldestRaised || opset >= kOldestTrainingOpset) return;
    for (Node* node : graph.nodes()) {
        if (!node->domain().empty() && node->domain() != "ai.onnx") continue;
        if (node->foreignOpset() != nullptr) continue;
        if (node->opType() == "BatchNormalization") raiseBatchNormalization(node);
        if (node->opType() == "Upsample") raiseUpsample(graph, node);
        if (node->opType() == "Scan") refuse(*node, "loop");
    }
    for (const char* domain : {"", "ai.onnx"}) {
        const auto found = graph.info().opsetImports.find(domain);
        if (found != graph.info().opsetImports.end()) found->second = kOldestTrainingOpset;
    }
}

}  // namespace temper
