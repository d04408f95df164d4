// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/kept_scores.h"
#include "engine/runtime/passes/node_match.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

namespace names = kept_scores;

/// ONNX's operator, the one that ONNX Runtime's artifacts have in its place, and their gradients.
bool isCrossEntropyOrGradient(const Node* node) {
    return node->opType().starts_with("SoftmaxCrossEntropyLoss") &&
           (node->domain() == kOnnxDomain || node->domain() == kMicrosoftDomain);
}

bool isGradient(const Node* node) {
    return isCrossEntropyOrGradient(node) && node->opType().ends_with("Grad");
}

bool isCrossEntropy(const Node* node) {
    return isCrossEntropyOrGradient(node) && !isGradient(node);
}

/// Whether nothing but gradients of cross entropies reads the log-probabilities.
bool servesGradientsOnly(const Value* logProbabilities) {
    return isReadOnlyBy(logProbabilities, [](const Value::Use& use) {
        return isGradient(use.node) && use.input == names::kScoresInput;
    });
}

bool mayKeepScores(const Node* node) {
    return isCrossEntropy(node) && servesGradientsOnly(node->output(1));
}

/// In half precision, the statistics would be rounded more than the log-probabilities.
bool isPrecise(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64; }

void keepScores(Graph& graph, Node* node) {
    Value* scores = node->input(0);
    Value* statistics = node->output(1);
    const std::string domain(names::kDomain);
    graph.setOpType(node, std::string(names::kForward), domain);
    statistics->setType({});
    const std::vector<Value::Use> uses = statistics->uses();
    for (const Value::Use& use : uses) {
        graph.setOpType(use.node, std::string(names::kBackward), domain);
        graph.setInput(use.node, names::kScoresInput, scores);
        graph.setInput(use.node, names::kStatisticsInput, statistics);
    }
}

}  // namespace

std::unique_ptr<Graph> keepScoresOfLosses(const Graph& graph, const InputTypes& inputTypes,
                                          const OpCatalog& catalog,
                                          const KernelRegistry& /*kernels*/,
                                          const PlanOptions& /*options*/) {
    const std::vector<Node*> nodes = graph.nodes();
    if (std::ranges::none_of(nodes, mayKeepScores)) return nullptr;
    if (catalog.find(names::kDomain, names::kForward) == nullptr) return nullptr;
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    const auto captured = capturedValues(*result);
    bool isChanged = false;
    for (Node* node : result->nodes()) {
        if (!mayKeepScores(node) || captured.contains(node->output(1)) ||
            !isPrecise(node->input(0)->type().dtype))
            continue;
        keepScores(*result, node);
        isChanged = true;
    }
    if (!isChanged) return nullptr;
    result->info().opsetImports.try_emplace(std::string(names::kDomain), 1);
    return result;
}

}  // namespace temper
